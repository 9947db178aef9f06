//! What a dialogue is called, and where it lies.

use std::fmt;
use std::str::FromStr;

use super::PARTITIONS;

/// Names a dialogue: a person in a chat, or in a topic of it. A function of the update alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DialogueKey {
    /// The chat it lives in; fixes the partition.
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

    /// The partition of everything that belongs to this dialogue's chat.
    pub fn partition(&self) -> u8 {
        partition(self.chat)
    }
}

/// The partition of a chat.
pub fn partition(chat: i64) -> u8 {
    (xxhash_rust::xxh3::xxh3_64(&chat.to_be_bytes()) % u64::from(PARTITIONS)) as u8
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

    #[test]
    fn the_partition_of_a_chat_never_changes() {
        // What is stored stands under these.
        assert_eq!([5_i64, -1_001_234_567_890, 0].map(partition), [6, 18, 25]);
        assert!((0..1000).map(partition).all(|p| p < PARTITIONS));
    }
}
