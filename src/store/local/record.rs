//! The record of a dialogue: what is in it, how it is written, and what is written along with it.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::codec::{Reader, Writer};
use super::seen::Seen;
use super::{Desk, keys};
use crate::store::{Cause, Key, Millis, NOTED_MAX, Person, Result, Token};

/// All that is kept of a dialogue.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    /// Grows with every commit.
    pub(super) version: u64,
    /// What it is counted under; none while idle.
    pub(super) labels: Vec<String>,
    /// What the last commit left. None: there was no commit yet, only blame.
    pub(super) body: Option<Bytes>,
    /// When its timer is due; none while idle.
    pub(super) due: Option<Millis>,
    /// When it is forgotten; only while idle.
    pub(super) expires: Option<Millis>,
    /// The turn that committed last.
    pub(super) turn: Option<Token>,
    /// [`Receipt::crowded_out`](crate::store::Receipt::crowded_out) of that turn, in case it asks again.
    pub(super) crowded_out: u32,
    /// Whether that turn's messages were left out, in case it asks again.
    pub(super) dropped: bool,
    /// The latest cause and how often it was tried.
    pub(super) attempt: Attempt,
    /// The updates it has seen.
    pub(super) seen: Seen,
}

impl Record {
    /// As bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let writer = Writer::default()
            .u64(self.version)
            .option(self.due)
            .option(self.expires)
            .option(self.turn.map(|turn| turn.0))
            .u32(self.crowded_out)
            .u32(self.dropped.into())
            .u64(self.attempt.cause)
            .u32(self.attempt.count)
            .bytes(&self.attempt.packed_turns())
            .bytes(&self.seen.0)
            .blob(self.body.as_deref())
            .u32(self.labels.len() as u32);
        let labels = self.labels.iter();
        labels
            .fold(writer, |writer, label| writer.bytes(label.as_bytes()))
            .finish()
    }

    /// From bytes.
    pub(super) fn decode(bytes: Bytes) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        Ok(Self {
            version: reader.u64()?,
            due: reader.option()?,
            expires: reader.option()?,
            turn: reader.option()?.map(Token),
            crowded_out: reader.u32()?,
            dropped: reader.u32()? != 0,
            attempt: Attempt {
                cause: reader.u64()?,
                count: reader.u32()?,
                turns: Attempt::unpacked_turns(&reader.bytes()?),
            },
            seen: Seen(reader.bytes()?),
            body: reader.blob()?,
            labels: (0..reader.u32()?)
                .map(|_| reader.text())
                .collect::<Result<_>>()?,
        })
    }

    /// As others see it.
    pub(super) fn person(self, key: Key) -> Person {
        Person {
            key,
            version: self.version,
            labels: self.labels,
            body: self.body.unwrap_or_default(),
            due: self.due,
        }
    }
}

impl Desk<'_> {
    /// The record of a dialogue; one that has expired is as if never there.
    pub(super) fn record(&mut self, key: &Key) -> Result<Option<Record>> {
        let Some(bytes) = self.shelf.get(&keys::record(key))? else {
            return Ok(None);
        };
        let record = Record::decode(bytes)?;
        let expired = record.expires.filter(|&at| at <= self.now);
        if let Some(at) = expired {
            self.shelf.delete(&keys::expiry(at, &keys::record(key)))?;
            self.shelf.delete(&keys::record(key))?;
        }
        Ok(expired.is_none().then_some(record))
    }

    /// Writes a record and all that follows from it: counts, people, timer, expiry.
    pub(super) fn write(&mut self, key: &Key, old: Option<&Record>, new: &Record) -> Result<()> {
        let none = Record::default();
        let old = old.unwrap_or(&none);
        self.recount(&old.labels, &new.labels)?;
        let listed = |record: &Record| (!record.labels.is_empty()).then(|| keys::person(key));
        let timer = |record: &Record| record.due.map(|due| keys::timer(due, key));
        let place = keys::record(key);
        let expiry = |record: &Record| record.expires.map(|at| keys::expiry(at, &place));
        self.shift(listed(old), listed(new))?;
        self.shift(timer(old), timer(new))?;
        self.shift(expiry(old), expiry(new))?;
        self.shelf.put(&place, &new.encode())
    }

    /// Moves the counts from one set of labels to another.
    fn recount(&mut self, old: &[String], new: &[String]) -> Result<()> {
        let mut changes: BTreeMap<&str, i64> = BTreeMap::new();
        for label in old {
            *changes.entry(label).or_default() -= 1;
        }
        for label in new {
            *changes.entry(label).or_default() += 1;
        }
        for (label, change) in changes {
            if change != 0 {
                self.add(&keys::count(label), change)?;
            }
        }
        Ok(())
    }
}

/// How often the latest cause was tried.
#[derive(Debug, Clone, Default)]
pub(super) struct Attempt {
    /// [`Cause::number`].
    cause: u64,
    /// How often.
    count: u32,
    /// The turns that were noted last and not taken back, the latest first; at most [`NOTED_MAX`].
    turns: Vec<Token>,
}

impl Attempt {
    /// Notes a try, once per turn. Another cause begins anew.
    pub(super) fn note(&mut self, cause: Cause, turn: Token) {
        if self.cause != cause.number() {
            *self = Self {
                cause: cause.number(),
                ..Self::default()
            };
        }
        if !self.turns.contains(&turn) {
            self.turns.insert(0, turn);
            self.turns.truncate(NOTED_MAX);
            self.count += 1;
        }
    }

    /// Takes back the try that this turn noted.
    pub(super) fn take_back(&mut self, cause: Cause, turn: Token) {
        if self.cause == cause.number() && self.turns.contains(&turn) {
            self.turns.retain(|noted| *noted != turn);
            self.count = self.count.saturating_sub(1);
        }
    }

    /// How often this cause was tried.
    pub(super) fn count(&self, cause: Cause) -> u32 {
        if self.cause == cause.number() {
            self.count
        } else {
            0
        }
    }

    fn packed_turns(&self) -> Vec<u8> {
        let turns = self.turns.iter();
        turns.flat_map(|turn| turn.0.to_be_bytes()).collect()
    }

    fn unpacked_turns(bytes: &[u8]) -> Vec<Token> {
        let turns = bytes.as_chunks().0.iter();
        turns.map(|turn| Token(u64::from_be_bytes(*turn))).collect()
    }
}
