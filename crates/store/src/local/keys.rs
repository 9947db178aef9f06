//! Where everything lies on the shelf. A letter for the kind, the partition where there is one, a time where the order
//! matters, then the name as people read it. Keys are part of the file format: never change one, add another.

use std::fmt::Display;
use std::io::Write;
use std::str::FromStr;

use crate::{DialogueKey, Error, Lane, Millis, Result, partition};

/// The partition of dead letters that belong to no dialogue.
pub(super) const STRAYS: u8 = 0;

/// The record of a dialogue.
pub(super) fn record(key: &DialogueKey) -> Vec<u8> {
    named(head(b'd', partition(key.chat)), key)
}

/// Before all records; what follows is a partition and a [`DialogueKey`].
pub(super) fn records() -> Vec<u8> {
    vec![b'd']
}

/// Says that a dialogue has labels.
pub(super) fn person(key: &DialogueKey) -> Vec<u8> {
    named(people(partition(key.chat)), key)
}

/// Before the people of a partition; what follows is a [`DialogueKey`].
pub(super) fn people(partition: u8) -> Vec<u8> {
    head(b'p', partition)
}

/// Says when the timer of a dialogue is due.
pub(super) fn timer(due: Millis, key: &DialogueKey) -> Vec<u8> {
    named(timers(partition(key.chat), due), key)
}

/// Before the timers of a partition that are due at this time; what follows is a [`DialogueKey`].
pub(super) fn timers(partition: u8, due: Millis) -> Vec<u8> {
    timed(all_timers(partition), due)
}

/// Before the timers of a partition; what follows is a time and a [`DialogueKey`].
pub(super) fn all_timers(partition: u8) -> Vec<u8> {
    head(b't', partition)
}

/// How many dialogues carry a label.
pub(super) fn count(label: &str) -> Vec<u8> {
    named(vec![b'a'], label)
}

/// Before the counts; what follows is the label.
pub(super) fn counts() -> Vec<u8> {
    vec![b'a']
}

/// How many commits a partition has seen.
pub(super) fn sequence(partition: u8) -> Vec<u8> {
    head(b's', partition)
}

/// The state of a lane that is not empty.
pub(super) fn lane(lane: Lane) -> Vec<u8> {
    named(lanes(partition(lane.chat)), lane)
}

/// Before the lanes of a partition that are not empty.
pub(super) fn lanes(partition: u8) -> Vec<u8> {
    head(b'l', partition)
}

/// An item in a lane.
pub(super) fn item(lane: Lane, place: u64) -> Vec<u8> {
    timed(named(head(b'i', partition(lane.chat)), lane), place)
}

/// Says when a lane may be claimed.
pub(super) fn ready(at: Millis, lane: Lane) -> Vec<u8> {
    named(readies(partition(lane.chat), at), lane)
}

/// Before the lanes of a partition that may be claimed at this time; what follows is a [`Lane`].
pub(super) fn readies(partition: u8, at: Millis) -> Vec<u8> {
    timed(head(b'r', partition), at)
}

/// Says that an item was handed over to a lane.
pub(super) fn handed(lane: Lane, id: &str) -> Vec<u8> {
    let mut key = named(head(b'h', partition(lane.chat)), lane);
    key.push(b'\n');
    named(key, id)
}

/// The pace of the messages to a chat.
pub(super) fn pacing(chat: i64) -> Vec<u8> {
    named(head(b'q', partition(chat)), chat)
}

/// The pace of the whole bot.
pub(super) fn bot_pacing() -> Vec<u8> {
    vec![b'f']
}

/// The message of a name in a chat.
pub(super) fn note(chat: i64, name: &str) -> Vec<u8> {
    let mut key = named(head(b'm', partition(chat)), chat);
    key.push(b'\n');
    named(key, name)
}

/// Says that messages do not reach a chat.
pub(super) fn blocked(chat: i64) -> Vec<u8> {
    named(head(b'x', partition(chat)), chat)
}

/// A small value by its name.
pub(super) fn kept(name: &str) -> Vec<u8> {
    named(vec![b'v'], name)
}

/// Says when the entry `target` is to be forgotten.
pub(super) fn expiry(at: Millis, target: &[u8]) -> Vec<u8> {
    let mut key = expiries(at);
    key.extend_from_slice(target);
    key
}

/// Before the expiries at this time; what follows is the key of what expires.
pub(super) fn expiries(at: Millis) -> Vec<u8> {
    timed(all_expiries(), at)
}

/// Before the expiries; what follows is a time and the key of what expires.
pub(super) fn all_expiries() -> Vec<u8> {
    vec![b'e']
}

/// A dead letter; the later its number, the earlier it lies.
pub(super) fn letter(partition: u8, number: u64) -> Vec<u8> {
    timed(letters(partition), u64::MAX - number)
}

/// Before the dead letters of a partition.
pub(super) fn letters(partition: u8) -> Vec<u8> {
    head(b'g', partition)
}

/// How many dead letters a partition has seen.
pub(super) fn letter_count(partition: u8) -> Vec<u8> {
    head(b'n', partition)
}

/// How many dead letters a partition has.
pub(super) fn letters_kept(partition: u8) -> Vec<u8> {
    head(b'k', partition)
}

/// How many dead letters of a partition had to make room.
pub(super) fn letters_dropped(partition: u8) -> Vec<u8> {
    head(b'y', partition)
}

/// A lease.
pub(super) fn lease(name: &str) -> Vec<u8> {
    named(leases(), name)
}

/// Before the leases; what follows is the name.
pub(super) fn leases() -> Vec<u8> {
    vec![b'z']
}

/// A replica's last sign of life.
pub(super) fn beat(replica: &str) -> Vec<u8> {
    named(beats(), replica)
}

/// Before the signs of life; what follows is the replica.
pub(super) fn beats() -> Vec<u8> {
    vec![b'b']
}

/// The last sign of life of anybody, and the last outage.
pub(super) fn pulse() -> Vec<u8> {
    vec![b'o']
}

/// What the clock has shown.
pub(super) fn clock() -> Vec<u8> {
    vec![b'c']
}

/// What a ping writes.
pub(super) fn ping() -> Vec<u8> {
    vec![b'w']
}

/// The first key that no longer begins with `prefix`, which must not end in the highest byte.
pub(super) fn end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

/// The first key after this one.
pub(super) fn just_after(mut key: Vec<u8>) -> Vec<u8> {
    key.push(0);
    key
}

/// The name at the end of a key, behind `before` bytes.
pub(super) fn name<T: FromStr<Err: Display>>(key: &[u8], before: usize) -> Result<T> {
    let unreadable = |why: String| Error::Corrupt(format!("key {}: {why}", key.escape_ascii()));
    let text = std::str::from_utf8(&key[before.min(key.len())..]);
    let text = text.map_err(|error| unreadable(error.to_string()))?;
    text.parse().map_err(|error: T::Err| unreadable(error.to_string()))
}

/// The time after the first `before` bytes of a key.
pub(super) fn time(key: &[u8], before: usize) -> Millis {
    let bytes = key.get(before..before + 8);
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, Millis::from_be_bytes)
}

fn head(kind: u8, partition: u8) -> Vec<u8> {
    let mut key = Vec::with_capacity(64);
    key.extend_from_slice(&[kind, partition]);
    key
}

fn timed(mut key: Vec<u8>, time: Millis) -> Vec<u8> {
    key.extend_from_slice(&time.to_be_bytes());
    key
}

fn named(mut key: Vec<u8>, name: impl Display) -> Vec<u8> {
    write!(key, "{name}").expect("a vector takes all");
    key
}
