//! A dialogue as people look at it: where it is, what it holds, what comes next, what waits to be carried out.
//!
//! It is read as plain JSON, so that one is seen which only a newer build understands.

use serde_json::{Value, json};

use crate::store::{Item, LaneKind, Person};

/// All there is to see.
pub(super) fn of(person: &Person, waiting: &[(LaneKind, Vec<Item>)]) -> Value {
    let body = body(person);
    let parked = body["parked"].as_array().into_iter().flatten();
    let waiting = waiting.iter().map(|(kind, items)| lane(*kind, items));
    let mut seen = json!({
        "dialogue": person.key.to_string(),
        "labels": person.labels,
        "version": person.version,
        "live": body.get("live").map(live),
        "parked": parked.map(draft).collect::<Vec<_>>(),
        "due": due(person, &body),
        "timers": timers(&body),
        "waiting": waiting.collect::<Vec<_>>(),
        "body": body,
    });
    if let Some(record) = &person.unreadable {
        seen["record"] = record.escape_ascii().to_string().into();
    }
    seen
}

/// What the dialogue holds; `null` if it is no JSON.
pub(super) fn body(person: &Person) -> Value {
    serde_json::from_slice(&person.body).unwrap_or_default()
}

/// The flow that waits for an answer.
fn live(live: &Value) -> Value {
    json!({
        "flow": live["flow"],
        "state": live["state"]["at"],
        "data": data(&live["state"]),
        "since": live["since"],
    })
}

/// A flow put aside.
fn draft(draft: &Value) -> Value {
    json!({
        "flow": draft["flow"],
        "state": draft["state"]["at"],
        "data": data(&draft["state"]),
        "until": draft["until"],
    })
}

/// What a state carries beside its name.
fn data(state: &Value) -> Value {
    let mut data = state.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.remove("at");
    }
    data
}

/// What happens next if nobody does anything. What is not of the live flow is a draft that is forgotten.
fn due(person: &Person, body: &Value) -> Option<Value> {
    let at = person.due?;
    let own = &body["live"]["due"];
    let kind = match own["at"].as_u64() {
        Some(due) if due == at => own["to"].clone(),
        _ => "forget".into(),
    };
    Some(json!({ "at": at, "kind": kind }))
}

/// All that happens if nobody does anything, the nearest first: what the live flow waits for, and the end of each draft.
fn timers(body: &Value) -> Vec<Value> {
    let live = body.get("live").map(
        |live| json!({ "flow": live["flow"], "kind": live["due"]["to"], "at": live["due"]["at"] }),
    );
    let parked = body["parked"].as_array().into_iter().flatten();
    let ends = parked
        .map(|draft| json!({ "flow": draft["flow"], "kind": "forget", "at": draft["until"] }));
    let mut timers: Vec<Value> = live.into_iter().chain(ends).collect();
    timers.retain(|timer| timer["at"].is_u64());
    timers.sort_by_key(|timer| timer["at"].as_u64());
    timers
}

fn lane(kind: LaneKind, items: &[Item]) -> Value {
    let name = match kind {
        LaneKind::Messages => "messages",
        LaneKind::Jobs => "records",
        LaneKind::Bulk => "bulk",
        LaneKind::Aside => "aside",
    };
    json!({ "lane": name, "effects": items.iter().map(effect).collect::<Vec<_>>() })
}

/// An effect with its id.
fn effect(item: &Item) -> Value {
    let read = serde_json::from_slice(&item.body).ok();
    let mut effect = read.filter(Value::is_object).unwrap_or_else(|| json!({}));
    effect["id"] = item.id.clone().into();
    effect
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DialogueKey;

    fn person(body: &str, due: Option<u64>) -> Person {
        Person {
            key: DialogueKey { chat: 5, user: 7, topic: None },
            version: 9,
            labels: Vec::new(),
            body: body.to_owned().into(),
            due,
            unreadable: None,
        }
    }

    #[test]
    fn a_dialogue_is_seen_with_its_drafts_and_what_comes_next() {
        let body = r#"{"v":1,"live":{"flow":"photo","state":{"at":"caption","photos":["a"]},"since":3,"due":{"at":40,"to":"remind"}},
            "parked":[{"flow":"order","state":{"at":"phone"},"until":90}]}"#;
        let seen = of(&person(body, Some(40)), &[]);
        let live =
            json!({ "flow": "photo", "state": "caption", "data": { "photos": ["a"] }, "since": 3 });
        assert_eq!(seen["live"], live);
        let parked = json!([{ "flow": "order", "state": "phone", "data": {}, "until": 90 }]);
        assert_eq!(seen["parked"], parked);
        assert_eq!(seen["due"], json!({ "at": 40, "kind": "remind" }));
        let timers = json!([
            { "flow": "photo", "kind": "remind", "at": 40 },
            { "flow": "order", "kind": "forget", "at": 90 },
        ]);
        assert_eq!(seen["timers"], timers);
        let later = of(&person(body, Some(90)), &[]);
        assert_eq!(later["due"]["kind"], "forget");
    }

    #[test]
    fn nothing_is_seen_of_what_is_not_there_or_not_understood() {
        for body in ["", "{}", "no JSON"] {
            let seen = of(&person(body, None), &[]);
            assert!(seen["live"].is_null() && seen["due"].is_null(), "{body}");
            assert_eq!(seen["parked"], json!([]), "{body}");
            assert_eq!(seen["timers"], json!([]), "{body}");
        }
    }

    #[test]
    fn effects_are_seen_lane_by_lane() {
        let item = |id: &str, body: &'static str| Item { id: id.into(), body: body.into() };
        let items = vec![item("1.a.0", r#"{"do":"typing","chat":5}"#), item("2", "?")];
        let seen = of(&person("{}", None), &[(LaneKind::Messages, items)]);
        let effects = json!([{ "do": "typing", "chat": 5, "id": "1.a.0" }, { "id": "2" }]);
        assert_eq!(seen["waiting"], json!([{ "lane": "messages", "effects": effects }]));
    }
}
