//! What the bot's log tells: where it listens, and every transition. Texts are never in it.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::emulator::Millis;
use crate::store::DialogueKey;

/// A line of the log, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It has started, and its operations listen there.
    Started(SocketAddr),
    /// A dialogue moved.
    Moved(Transition),
    /// Something happened in a dialogue.
    Turned(String),
    /// Why it cannot start.
    Problem(String),
    /// Anything else.
    Other,
}

/// A dialogue moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Transition {
    /// Which.
    pub(super) dialogue: String,
    /// When.
    pub(super) at: Millis,
    /// In which flow.
    pub(super) flow: String,
    /// From there.
    pub(super) from: String,
    /// To there.
    pub(super) to: String,
    /// What made it move, unless it was a timer or an operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) update_id: Option<u32>,
}

/// What a line may hold.
#[derive(Debug, Deserialize)]
struct Line {
    message: String,
    ops: Option<SocketAddr>,
    #[serde(rename = "update.id")]
    update: Option<u64>,
    #[serde(rename = "chat.id")]
    chat: Option<i64>,
    #[serde(rename = "user.id")]
    user: Option<i64>,
    #[serde(rename = "topic.id")]
    topic: Option<i32>,
    flow: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

impl Said {
    /// Reads a line that came at this time.
    pub(super) fn read(line: &str, at: Millis) -> Self {
        if let Some(problem) = line.strip_prefix("error: ") {
            return Self::Problem(problem.to_owned());
        }
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            return Self::Other;
        };
        match (line.message.as_str(), line.ops) {
            ("started", Some(ops)) => Self::Started(ops),
            ("transition", _) => line.transition(at).map_or(Self::Other, Self::Moved),
            ("update", _) => line.dialogue().map_or(Self::Other, Self::Turned),
            _ => Self::Other,
        }
    }
}

impl Line {
    fn dialogue(&self) -> Option<String> {
        let key = DialogueKey { chat: self.chat?, user: self.user?, topic: self.topic };
        Some(key.to_string())
    }

    fn transition(self, at: Millis) -> Option<Transition> {
        Some(Transition {
            dialogue: self.dialogue()?,
            at,
            // A timer is known by its time, which is far above all ids; an operator by nothing.
            update_id: self.update.and_then(|id| id.try_into().ok()).filter(|id| *id > 0),
            flow: self.flow?,
            from: self.from?,
            to: self.to?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_where_the_bot_is_and_how_dialogues_move() {
        let started = r#"{"timestamp":"t","level":"INFO","message":"started","webhook":"127.0.0.1:1","ops":"127.0.0.1:2","store":"embedded"}"#;
        assert_eq!(Said::read(started, 5), Said::Started("127.0.0.1:2".parse().unwrap()));
        let moved = r#"{"message":"transition","update.id":77,"chat.id":-5,"user.id":7,"flow":"photo","from":"start","to":"shot","known":true}"#;
        let transition = Transition {
            dialogue: "-5:7".into(),
            at: 5,
            flow: "photo".into(),
            from: "start".into(),
            to: "shot".into(),
            update_id: Some(77),
        };
        assert_eq!(Said::read(moved, 5), Said::Moved(transition.clone()));
        let by_timer = moved.replace("77", "1800000000000");
        let update_id = None;
        assert_eq!(Said::read(&by_timer, 5), Said::Moved(Transition { update_id, ..transition }));
        let turned =
            r#"{"message":"update","update.id":78,"chat.id":7,"user.id":7,"outcome":"applied"}"#;
        assert_eq!(Said::read(turned, 5), Said::Turned("7:7".into()));
    }

    #[test]
    fn whatever_else_is_said_is_let_pass() {
        assert_eq!(Said::read("error: it is in use", 5), Said::Problem("it is in use".into()));
        for line in ["", "a panic", "{}", r#"{"message":"transition"}"#, r#"{"message":"started"}"#]
        {
            assert_eq!(Said::read(line, 5), Said::Other, "{line}");
        }
    }
}
