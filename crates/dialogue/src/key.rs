//! The name of a dialogue.

use std::fmt;
use std::str::FromStr;

/// Names a dialogue: a person in a chat, or in a topic of it. A function of the update alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DialogueKey {
    /// The chat it lives in.
    pub chat: i64,
    /// The person.
    pub user: i64,
    /// The topic, where dialogues are kept per topic.
    pub topic: Option<i32>,
}

impl DialogueKey {
    /// Whether the chat is the one with this person alone: it has their number.
    pub fn is_private(&self) -> bool {
        self.chat == self.user
    }
}

impl fmt::Display for DialogueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.chat, self.user)?;
        self.topic.map_or(Ok(()), |topic| write!(f, ":{topic}"))
    }
}

impl FromStr for DialogueKey {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bad = |_| format!("`{text}` is not a dialogue: expected CHAT:USER or CHAT:USER:TOPIC");
        let mut parts = text.split(':');
        let mut next = || parts.next().unwrap_or_default();
        let (chat, user) = (next().parse().map_err(bad)?, next().parse().map_err(bad)?);
        let topic = parts.next().map(str::parse).transpose().map_err(bad)?;
        match parts.next() {
            None => Ok(Self { chat, user, topic }),
            Some(_) => Err(format!("`{text}` is not a dialogue: too many parts")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_as_written() {
        for key in [
            DialogueKey { chat: 5, user: 5, topic: None },
            DialogueKey { chat: -1_001_234_567_890, user: i64::MAX, topic: Some(12) },
        ] {
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        assert!("5".parse::<DialogueKey>().is_err());
        assert!("5:6:7:8".parse::<DialogueKey>().is_err());
    }
}
