//! What can be said, as it goes over the wire: exactly what Telegram's documentation asks for.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::store::{LaneKind, Limits, Memory, Pace};

use crate::support::bot_api::{Call, Limit, Reply};
use crate::support::company::{Company, OFFICE};
use crate::support::patience::until;
use crate::support::updates::someone;

/// What a call carries, without the chat it goes to.
fn said(call: &Call) -> (&str, Value) {
    let mut params = call.params.clone();
    let fields = params.as_object_mut().expect("parameters");
    assert_eq!(fields.remove("chat_id"), Some(json!(call.chat())));
    (&call.method, params)
}

#[tokio::test]
async fn a_persons_name_cannot_break_the_formatting() {
    let company = Company::meet().await;
    let (_, call) = company.shows("/say hello").await;
    let text = "<b>Hello</b>, Tom &lt;b&gt;&amp; Co!";
    let expected = json!({ "text": text, "parse_mode": "HTML" });
    assert_eq!(said(&call), ("sendmessage", expected));
    assert!(call.arrived(), "Telegram could read it");
}

/// An album carries no buttons, and a message needs words to carry them.
#[tokio::test]
async fn an_album_with_buttons_and_no_words_is_followed_by_a_sign() {
    let company = Company::meet().await;
    let (user, call) = company.shows("/say bare-album-with-links").await;
    assert_eq!(call.method, "sendmediagroup");
    let call = company.api.until_said(user, "👆").await;
    assert!(!call.button("There").is_empty());
}

#[tokio::test]
async fn keyboards_have_the_forms_of_the_documentation() {
    let company = Company::meet().await;
    for (words, markup) in [
        (
            "/say contact",
            json!({
                "keyboard": [[{ "text": "Share it", "request_contact": true }]],
                "resize_keyboard": true, "one_time_keyboard": true,
            }),
        ),
        (
            "/say words",
            json!({ "keyboard": [[{ "text": "Left" }], [{ "text": "Right" }]], "resize_keyboard": true }),
        ),
        ("/say remove", json!({ "remove_keyboard": true })),
        (
            "/say links",
            json!({ "inline_keyboard": [[{ "text": "There", "callback_data": "lactor.7" }]] }),
        ),
    ] {
        let (_, call) = company.shows(words).await;
        let (method, params) = said(&call);
        assert_eq!(method, "sendmessage");
        assert_eq!(without_defaults(&params["reply_markup"]), markup, "{words}");
        assert!(call.arrived());
    }
}

/// What says what is so anyway.
fn without_defaults(markup: &Value) -> Value {
    let mut markup = markup.clone();
    if let Some(fields) = markup.as_object_mut() {
        fields.retain(|_, value| *value != json!(false) && *value != json!(""));
    }
    markup
}

#[tokio::test]
async fn photos_go_by_their_id_with_a_caption() {
    let company = Company::meet().await;
    let (_, call) = company.shows("/say photo").await;
    let expected = json!({ "photo": "p1", "caption": "&lt;One&gt;", "parse_mode": "HTML" });
    assert_eq!(said(&call), ("sendphoto", expected));
    assert!(call.arrived());
}

#[tokio::test]
async fn an_album_has_its_caption_on_the_first_photo() {
    let company = Company::meet().await;
    let (_, call) = company.shows("/say album").await;
    let media = json!([
        { "type": "photo", "media": "p1", "caption": "Both", "parse_mode": "HTML" },
        { "type": "photo", "media": "p2" },
    ]);
    let (method, params) = said(&call);
    assert_eq!(method, "sendmediagroup");
    let parts = params["media"].as_array().expect("parts");
    let parts: Vec<Value> = parts.iter().map(without_defaults).collect();
    assert_eq!(json!(parts), media);
    assert!(call.arrived());
}

/// An album takes no buttons: they come with the words, in a message of their own.
#[tokio::test]
async fn an_album_with_buttons_is_two_messages() {
    let company = Company::meet().await;
    let (user, album) = company.shows("/say album-with-links").await;
    assert_eq!(album.method, "sendmediagroup");
    let words = company.api.until_sent(user, 1).await.remove(0);
    assert_eq!(words.text(), "Both");
    assert_eq!(words.button("There"), "lactor.7");
}

/// Each part is a message of its own that Telegram takes, in order; the last one has the buttons.
#[tokio::test]
async fn a_text_that_is_too_long_comes_in_parts() {
    let company = Company::meet().await;
    let (user, _) = company.shows("/say long").await;
    until("the last part is there", async || {
        let last = company.api.sent(user).pop();
        last.filter(|call| call.text().contains("29 &lt;b&gt;"))
    })
    .await;
    let calls = company.api.sent(user);
    assert!(calls.len() > 1);
    assert!(calls.iter().all(Call::arrived), "none is too long");
    let (last, before) = calls.split_last().expect("parts");
    assert_eq!(last.button("There"), "lactor.7");
    assert!(before.iter().all(|call| call.params.get("reply_markup").is_none()));
    let all: String = calls.iter().map(|call| call.text()).collect();
    assert_eq!(all.matches("&amp;amp;").count(), 30, "nothing is lost");
}

#[tokio::test]
async fn an_answer_to_a_message_says_so() {
    let company = Company::meet().await;
    let (_, call) = company.shows("/say reply").await;
    let reply = &call.params["reply_parameters"];
    assert_eq!(reply["message_id"], 42);
    assert_eq!(reply["allow_sending_without_reply"], true);
}

#[tokio::test]
async fn typing_comes_before_what_is_said() {
    let company = Company::meet().await;
    let (user, call) = company.shows("/say typing").await;
    assert_eq!(said(&call), ("sendchataction", json!({ "action": "typing" })));
    company.api.until_said(user, "Well.").await;
}

/// A list that is ticked stays one message; what is the same already is fine.
#[tokio::test]
async fn a_named_message_is_changed_in_place() {
    let company = Company::meet().await;
    let user = someone();
    for number in ["1", "2", "2", "3"] {
        company.hear(user, &format!("/say list {number}")).await;
    }
    until("the list is at its end", async || (company.api.shown(user) == ["List 3"]).then_some(()))
        .await;
    let edits = company.api.calls_of("editMessageText");
    assert_eq!(edits.len(), 3);
    let id = edits[0].params["message_id"].clone();
    assert!(id.is_i64());
    let expected = json!({
        "message_id": id, "text": "List 2", "parse_mode": "HTML", "reply_markup": { "inline_keyboard": [] },
    });
    assert_eq!(said(&edits[0]), ("editmessagetext", expected));
    assert!(company.letters().await.is_empty(), "`not modified` is fine");
}

/// The message was deleted by the person: another takes its name, and is the one that is changed from then on.
#[tokio::test]
async fn an_edit_that_cannot_edit_sends_anew_and_takes_the_name() {
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/say list 1").await;
    company.api.until_sent(user, 1).await;
    let first = 1001;
    company.api.forget(user, first);
    company.hear(user, "/say list 2").await;
    company.api.until_said(user, "List 2").await;
    company.hear(user, "/say list 3").await;
    until("the new one is changed", async || (company.api.shown(user) == ["List 3"]).then_some(()))
        .await;
    assert_eq!(company.api.sent(user).len(), 2);
    assert!(company.letters().await.is_empty());
}

/// An edit would lose the keyboard, or the photo.
#[tokio::test]
async fn a_named_message_with_a_keyboard_or_a_photo_is_sent_anew() {
    let company = Company::meet().await;
    let user = someone();
    for words in ["/say list 1", "/say list-with-words 2", "/say list-with-photo 3"] {
        company.hear(user, words).await;
    }
    until("all three are there", async || {
        (company.api.shown(user) == ["List 1", "List 2", "List 3"]).then_some(())
    })
    .await;
    let words = company.api.until_said(user, "List 2").await;
    assert!(words.params["reply_markup"]["keyboard"].is_array());
    assert!(company.api.calls_of("editMessageText").is_empty());
    // A text in the place of a photo cannot be had either.
    company.hear(user, "/say list 4").await;
    company.api.until_said(user, "List 4").await;
    assert_eq!(company.api.calls_of("editMessageText").len(), 1);
    assert!(company.letters().await.is_empty());
}

/// If only the last part were changed, the others would stand there twice.
#[tokio::test]
async fn a_named_text_of_several_parts_is_sent_anew_in_order() {
    let company = Company::meet().await;
    let user = someone();
    for words in ["/say list 1", "/say long-list", "/say long-list", "/say over"] {
        company.hear(user, words).await;
    }
    company.api.until_said(user, "over").await;
    assert!(company.api.calls_of("editMessageText").is_empty());
    let texts = company.api.texts(user);
    let parts = &texts[1..texts.len() - 1];
    let (first, second) = parts.split_at(parts.len() / 2);
    assert!(first.len() > 1 && first == second, "twice the same parts");
}

/// Three may be sent at once, and then one each second: an album of three is three.
#[tokio::test]
async fn an_album_counts_as_its_photos() {
    let second = Duration::from_secs(1);
    let limits = Limits { chat: Some(Pace { every: second, burst: 3 }), ..Limits::default() };
    let company = Company::meet_at(Arc::new(Memory::new().with_limits(limits))).await;
    // One more than the burst: the next may be a little early, as what is counted is when each arrives.
    company.api.limit([Limit::chat(4, second)]);
    let user = someone();
    for words in ["/say three a", "/say three b", "/say over"] {
        company.hear(user, words).await;
    }
    company.api.until_said(user, "over").await;
    let calls = company.api.calls();
    assert!(calls.iter().all(Call::arrived), "none was over the limit");
    assert_eq!(company.api.calls_of("sendMediaGroup").len(), 2);
}

/// Three calls may be made: for the first text, for the edit of a message that is gone, and for what takes its place.
#[tokio::test]
async fn an_edit_that_is_refused_and_what_is_sent_instead_are_two_calls() {
    let hour = Duration::from_secs(3600);
    let limits = Limits { bot: Some(Pace { every: hour, burst: 3 }), ..Limits::default() };
    let company = Company::meet_at(Arc::new(Memory::new().with_limits(limits))).await;
    let user = someone();
    company.hear(user, "/say list 1").await;
    company.api.until_sent(user, 1).await;
    company.api.forget(user, 1001);
    company.hear(user, "/say list 2").await;
    company.api.until_said(user, "List 2").await;
    let left = company.store.grant(LaneKind::Messages, 1).await;
    assert_eq!(left.map(|grant| grant.granted), Ok(0), "all three are gone");
}

/// Whoever caused the message hears of it, not who it was sent to.
#[tokio::test]
async fn a_refused_record_that_follows_a_message_to_another_chat_is_told_at_home() {
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/say tell-note").await;
    let refusal = "It could not be done: not today.";
    company.api.until_said(user, refusal).await;
    assert_eq!(company.api.texts(OFFICE), ["Hear this"]);
}

/// Who answers the message is understood by what is written of it, and waits for their own line only.
#[tokio::test]
async fn a_record_that_follows_a_message_to_another_chat_does_not_wait_for_who_caused_it() {
    let company = Company::meet().await;
    let user = someone();
    company.api.plan_for(OFFICE, [Reply::Held]);
    company.hear(user, "/say tell-kept").await;
    company.api.until_called("sendMessage", 2).await;
    company.hear(user, "/do never").await;
    until("it waits", async || (company.ledger.tries.load(Ordering::Relaxed) > 0).then_some(()))
        .await;
    company.api.let_go(OFFICE);
    until("the record is written", async || {
        let written = company.ledger.written();
        let note = written.iter().find(|it| it["do"] == "note");
        note.is_some_and(|it| it["message_chat"] == OFFICE).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_named_message_is_taken_back_and_twice_is_fine() {
    let company = Company::meet().await;
    let user = someone();
    for words in ["/say list 1", "/say forget", "/say forget", "/say after"] {
        company.hear(user, words).await;
    }
    company.api.until_said(user, "after").await;
    assert_eq!(company.api.shown(user), ["after"]);
    assert_eq!(company.api.calls_of("deleteMessage").len(), 2);
    assert!(company.letters().await.is_empty());
}

/// Each time it is changed, the record that follows is told which message it is.
#[tokio::test]
async fn a_record_follows_a_message_with_its_id() {
    let company = Company::meet().await;
    let user = someone();
    for number in 1..4 {
        company.hear(user, &format!("/say note {number}")).await;
    }
    let note = json!({ "do": "note", "message_id": 1001, "message_chat": user });
    until("three records are written", async || {
        (company.ledger.written() == [note.clone(), note.clone(), note.clone()]).then_some(())
    })
    .await;
    assert_eq!(company.api.shown(user), ["Note 3"]);
}

/// Many tell one chat something: it is told in the order in which each of them spoke, and none of them waits for it.
#[tokio::test]
async fn what_is_said_to_another_chat_obeys_that_chat() {
    let company = Company::meet().await;
    company.api.plan_for(OFFICE, [Reply::TooMany(2)]);
    let people: Vec<i64> = (0..20).map(|_| someone()).collect();
    for round in 0..2 {
        for user in &people {
            company.hear(*user, &format!("/say tell {user}.{round}")).await;
        }
    }
    for user in &people {
        company.api.until_sent(*user, 2).await;
    }
    let told = company.api.until_sent(OFFICE, 2 * people.len()).await;
    let told: Vec<&str> = told.iter().map(Call::text).collect();
    assert_eq!(told.len(), 2 * people.len());
    for user in people {
        let place = |round| told.iter().position(|it| *it == format!("Hear {user}.{round}"));
        assert!(place(0).is_some() && place(0) < place(1));
    }
}

/// Nothing could tell such a record the message's id: it is found before anything is said.
#[tokio::test]
async fn a_message_whose_record_has_no_fields_is_put_aside_unsent() {
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/say bare-note").await;
    company.hear(user, "/say over").await;
    company.api.until_said(user, "over").await;
    assert_eq!(company.api.texts(user), ["over"]);
    let letters = company.letters().await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(letters[0]["body"]["then"]["command"], "note");
}
