//! The record of a dialogue: what is in it, how it is written, and what is written along with it.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::codec::{Reader, Writer};
use super::seen::Seen;
use super::tries::Tries;
use super::{Desk, keys};
use crate::{DialogueKey, Millis, Person, Result, Token, UNREADABLE};

/// All that is kept of a dialogue.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    /// Grows with every commit.
    pub(super) version: u64,
    /// The bytes of a record that cannot be read; all else is blank then. Never written.
    pub(super) unreadable: Option<Bytes>,
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
    /// [`Receipt::crowded_out`](crate::Receipt::crowded_out) of that turn, in case it asks again.
    pub(super) crowded_out: u32,
    /// Whether that turn's messages were left out, in case it asks again.
    pub(super) dropped: bool,
    /// How often its causes were tried.
    pub(super) tries: Tries,
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
            .u32(self.dropped.into());
        let writer = self
            .tries
            .write_latest(writer)
            .bytes(&self.seen.0)
            .blob(self.body.as_deref())
            .u32(self.labels.len() as u32);
        let labels = self.labels.iter();
        let writer = labels.fold(writer, |writer, label| writer.bytes(label.as_bytes()));
        self.tries.write_others(writer).finish()
    }

    /// From bytes.
    pub(super) fn decode(bytes: Bytes) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let mut record = Self {
            unreadable: None,
            version: reader.u64()?,
            due: reader.option()?,
            expires: reader.option()?,
            turn: reader.option()?.map(Token),
            crowded_out: reader.u32()?,
            dropped: reader.u32()? != 0,
            tries: Tries::read_latest(&mut reader)?,
            seen: Seen(reader.bytes()?),
            body: reader.blob()?,
            labels: (0..reader.u32()?).map(|_| reader.text()).collect::<Result<_>>()?,
        };
        record.tries.read_others(&mut reader)?;
        Ok(record)
    }

    /// Stands for these bytes, which cannot be read.
    fn unreadable(bytes: Bytes) -> Self {
        Self { version: UNREADABLE, unreadable: Some(bytes), ..Self::default() }
    }

    /// As others see it.
    pub(super) fn person(self, key: DialogueKey) -> Person {
        Person {
            key,
            version: self.version,
            unreadable: self.unreadable,
            labels: self.labels,
            body: self.body.unwrap_or_default(),
            due: self.due,
        }
    }
}

impl Desk<'_> {
    /// The record of a dialogue; one that has expired is as if never there.
    pub(super) fn record(&mut self, key: &DialogueKey) -> Result<Option<Record>> {
        let Some(bytes) = self.shelf.get(&keys::record(key))? else {
            return Ok(None);
        };
        let record = Record::decode(bytes.clone()).unwrap_or_else(|_| Record::unreadable(bytes));
        let expired = record.expires.filter(|&at| at <= self.now);
        if let Some(at) = expired {
            self.shelf.delete(&keys::expiry(at, &keys::record(key)))?;
            self.shelf.delete(&keys::record(key))?;
        }
        Ok(expired.is_none().then_some(record))
    }

    /// Writes a record and all that follows from it: counts, people, timer, expiry.
    pub(super) fn write(
        &mut self,
        key: &DialogueKey,
        old: Option<&Record>,
        new: &Record,
    ) -> Result<()> {
        let none = Record::default();
        let old = old.unwrap_or(&none);
        if old.unreadable.is_some() {
            self.clear_up(key)?;
        }
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
    pub(super) fn recount(&mut self, old: &[String], new: &[String]) -> Result<()> {
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
