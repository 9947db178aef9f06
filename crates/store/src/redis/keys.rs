//! Under which names things are kept. The partition is the hash tag, so that everything a call touches is in one slot
//! of a cluster. The names are the storage format: never change one, add another.

use crate::{DialogueKey, Error, Lane, PARTITIONS, Result, partition};

/// The partition of dead letters that belong to no dialogue.
pub(super) const STRAYS: u8 = 0;

/// All keys under one prefix; those that never change are put together once.
#[derive(Debug)]
pub(super) struct Keys {
    prefix: String,
    partitions: Vec<Partition>,
}

/// The keys of a partition. Scripts that are given another of its keys make these up from that; `push.lua` has one of its own, `handed`, a
/// sorted set of the items handed over, by time.
#[derive(Debug)]
pub(super) struct Partition {
    /// Sorted set: dialogue by due time, or an earlier one; a dialogue that is over may still be in it.
    pub(super) timers: String,
    /// Hash: how many dialogues carry a label.
    pub(super) active: String,
    /// Sorted set: lane by the time it may be claimed.
    pub(super) claims: String,
    /// Hash: the lanes that have work, each with the token of its holder and its head; see `lane.lua`.
    pub(super) lanes: String,
    /// List: dead letters, newest first.
    pub(super) dead: String,
    /// Counter of dead letters that made room for others.
    pub(super) dropped: String,
    /// Counter of commits.
    pub(super) sequence: String,
    /// Set: chats that messages do not reach.
    pub(super) blocked: String,
    /// String: what the clock has shown.
    pub(super) clock: String,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        let partitions = (0..PARTITIONS).map(|p| Partition::new(prefix, p)).collect();
        Self { prefix: prefix.into(), partitions }
    }

    /// The keys of each partition, in their order.
    pub(super) fn partitions(&self) -> impl Iterator<Item = &Partition> {
        self.partitions.iter()
    }

    /// The keys of one partition.
    pub(super) fn partition(&self, partition: u8) -> &Partition {
        &self.partitions[usize::from(partition % PARTITIONS)]
    }

    /// The keys of the partition of a chat.
    pub(super) fn of_chat(&self, chat: i64) -> &Partition {
        self.partition(partition(chat))
    }

    /// How many bytes all keys of a partition begin with; what follows is what the scripts call them.
    pub(super) fn place_bytes(&self) -> usize {
        self.prefix.len() + ":{00}:".len()
    }

    /// String: the record of a dialogue.
    pub(super) fn record(&self, key: &DialogueKey) -> String {
        let name = dialogue_name(key);
        format!("{}:{{{:02}}}:d:{name}", self.prefix, partition(key.chat))
    }

    /// Matches the records of a person, and perhaps those of others.
    pub(super) fn records_of(&self, user: i64) -> String {
        let mut prefix = String::new();
        for c in self.prefix.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '\\') {
                prefix.push('\\');
            }
            prefix.push(c);
        }
        format!("{prefix}:{{??}}:d:*{user}*")
    }

    /// The dialogue whose record this is.
    pub(super) fn dialogue(&self, record: &str) -> Option<DialogueKey> {
        let rest = record.strip_prefix(&self.prefix)?.strip_prefix(":{")?;
        let (_, name) = rest.split_once("}:d:")?;
        named_dialogue(name).ok()
    }

    /// List: the items of a lane behind its head.
    pub(super) fn behind(&self, lane: Lane) -> String {
        let partition = partition(lane.chat);
        format!("{}:{{{partition:02}}}:behind:{lane}", self.prefix)
    }

    /// String: the pace of the messages to a chat; see `pace.lua`.
    pub(super) fn pacing(&self, chat: i64) -> String {
        format!("{}:{{{:02}}}:pace:{chat}", self.prefix, partition(chat))
    }

    /// String: the message of a name in a chat, behind the time when that is forgotten.
    pub(super) fn note(&self, chat: i64, name: &str) -> String {
        let partition = partition(chat);
        format!("{}:{{{partition:02}}}:name:{chat}:{name}", self.prefix)
    }

    /// String: the pace of the whole bot; see `grant.lua`.
    pub(super) fn pace(&self) -> String {
        format!("{}:{{pace}}:bot", self.prefix)
    }

    /// String: a small value by its name.
    pub(super) fn kept(&self, name: &str) -> String {
        format!("{}:{{kept}}:{name}", self.prefix)
    }

    /// Hash: a lease.
    pub(super) fn lease(&self, name: &str) -> String {
        format!("{}:{{lease}}:{name}", self.prefix)
    }

    /// Hash: the last sign of life of each replica.
    pub(super) fn beats(&self) -> String {
        format!("{}:{{beat}}:replicas", self.prefix)
    }

    /// Hash: the last sign of life of anybody, and the last outage.
    pub(super) fn alive(&self) -> String {
        format!("{}:{{beat}}:alive", self.prefix)
    }

    /// As which the keys begin on which scripts are tried.
    pub(super) fn rehearsal(&self) -> String {
        format!("{}:{{beat}}:rehearsal", self.prefix)
    }

    /// String: what a ping writes.
    pub(super) fn ping(&self) -> String {
        format!("{}:{{beat}}:ping", self.prefix)
    }
}

/// A dialogue in keys, and among the timers. Most people talk to the bot alone, and their chat has their own number: there it
/// is written once, since it is kept twice for everybody.
pub(super) fn dialogue_name(key: &DialogueKey) -> String {
    match key {
        DialogueKey { chat, user, topic: None } if chat == user => chat.to_string(),
        key => key.to_string(),
    }
}

/// Reads what [`dialogue_name`] wrote.
pub(super) fn named_dialogue(name: &str) -> Result<DialogueKey> {
    let alone = name.parse().map(|person| DialogueKey { chat: person, user: person, topic: None });
    alone.or_else(|_| name.parse()).map_err(Error::Corrupt)
}

impl Partition {
    fn new(prefix: &str, partition: u8) -> Self {
        let key = |name| format!("{prefix}:{{{partition:02}}}:{name}");
        Self {
            timers: key("timers"),
            active: key("active"),
            claims: key("claims"),
            lanes: key("lanes"),
            dead: key("dead"),
            dropped: key("dropped"),
            sequence: key("seq"),
            blocked: key("blocked"),
            clock: key("clock"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialogue_is_known_by_its_record() {
        let keys = Keys::new("my:{bot}:d:1");
        for (chat, user, topic) in [(5, 5, None), (-100, 5, None), (-100, 5, Some(7))] {
            let key = DialogueKey { chat, user, topic };
            assert_eq!(keys.dialogue(&keys.record(&key)), Some(key));
        }
        assert_eq!(keys.dialogue(&keys.pacing(5)), None);
        assert_eq!(keys.dialogue("other:{00}:d:5"), None);
    }

    #[test]
    fn a_prefix_is_matched_as_it_stands() {
        let pattern = Keys::new("a*[b]").records_of(7);
        assert_eq!(pattern, r"a\*\[b\]:{??}:d:*7*");
    }

    #[test]
    fn a_dialogue_is_known_by_its_name() {
        let key = |chat, user, topic| DialogueKey { chat, user, topic };
        let named = [
            (key(5, 5, None), "5"),
            (key(5, 6, None), "5:6"),
            (key(5, 5, Some(7)), "5:5:7"),
            (key(-100, 5, Some(7)), "-100:5:7"),
        ];
        for (key, name) in named {
            assert_eq!(dialogue_name(&key), name);
            assert_eq!(named_dialogue(name), Ok(key));
        }
        assert!(named_dialogue("5:6:7:8").is_err());
        assert!(named_dialogue("").is_err());
    }
}
