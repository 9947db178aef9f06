//! Dialogues: what their scripts are told, and how to read what they answer.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};

use super::Redis;
use super::keys::dialogue_name;
use super::lane::packed_item;
use super::record::{Record, tail};
use super::script::{BLAME, COMMIT, Call, LOAD, MEMBER, PEEK, millis};
use crate::pace::Micros;
use crate::{
    Cause, Commit, Committed, DialogueKey, Error, Lane, LaneKind, Loaded, Millis, Person, Receipt,
    Result, Snapshot, Token, UNREADABLE,
};

/// What `load.lua` answers with a record behind it: a verdict, time, pending jobs, tries.
const LOAD_ANSWER: usize = 1 + 8 + 4 + 4;
/// What `commit.lua` answers, with a record behind it after a conflict: a verdict, five numbers whose meaning depends on it, how long
/// the messages wait, how many were dropped.
const COMMIT_ANSWER: usize = 1 + 8 + 4 + 4 + 4 + 8 + 8 + 4;

impl Redis {
    pub(super) async fn load_for(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
    ) -> Result<Loaded> {
        let lanes = &self.keys.of_chat(key.chat).lanes;
        let call = self
            .call(&LOAD, &[&self.keys.record(key), lanes])
            .arg(mark(cause))
            .arg(tried(cause))
            .arg(noted(turn))
            .arg(home(key, LaneKind::Jobs).to_string());
        let mut answer = self.ask_packed(call, LOAD_ANSWER).await?;
        let (verdict, now) = (answer.get_u8(), answer.get_u64());
        let (pending, tries, record) = (answer.get_u32(), answer.get_u32(), answer);
        Ok(match verdict {
            0 => Loaded::Fresh(snapshot(now, pending, tries, record)?),
            1 => Loaded::Duplicate,
            2 => Loaded::Fresh(unreadable(now, pending, record)),
            other => return Err(Error::Corrupt(format!("load.lua answered {other}"))),
        })
    }

    pub(super) async fn note(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        is_guilty: bool,
    ) -> Result<u32> {
        let call = self
            .call(&BLAME, &[&self.keys.record(key)])
            .arg(tried(cause))
            .arg(noted(turn))
            .arg(u8::from(is_guilty));
        self.ask(call).await
    }

    pub(super) async fn put_into_effect(
        &self,
        key: &DialogueKey,
        commit: &Commit,
    ) -> Result<Committed> {
        check_labels(commit)?;
        let call = self.commit_call(key, commit);
        let mut answer = self.ask_packed(call, COMMIT_ANSWER).await?;
        let (verdict, first) = (answer.get_u8(), answer.get_u64());
        let [second, third, fourth] = [(); 3].map(|()| answer.get_u32());
        let (fifth, wait): (u64, Micros) = (answer.get_u64(), answer.get_u64());
        let (dropped, record) = (answer.get_u32(), answer);
        Ok(match verdict {
            0 => Committed::Done(Receipt {
                version: first,
                messages_leased: second == 1,
                messages_wait: Duration::from_micros(wait),
                jobs_leased: third == 1,
                dropped,
                crowded_out: fourth,
                sequence: fifth,
            }),
            1 => Committed::Duplicate,
            2 => Committed::TooOld,
            3 => Committed::Conflict(snapshot(first, second, third, record)?),
            4 => Committed::Stale,
            5 => Committed::Conflict(unreadable(first, second, record)),
            other => return Err(Error::Corrupt(format!("commit.lua answered {other}"))),
        })
    }

    /// Asks for an answer that begins with so many bytes.
    async fn ask_packed(&self, call: Call, bytes: usize) -> Result<Bytes> {
        let answer: Vec<u8> = self.ask(call).await?;
        match answer.len() {
            short if short < bytes => Err(Error::Corrupt("a script answered too little".into())),
            _ => Ok(Bytes::from(answer)),
        }
    }

    fn commit_call(&self, key: &DialogueKey, commit: &Commit) -> Call {
        let mut call = self
            .call(&COMMIT, &[&self.keys.record(key)])
            .arg(self.commit_numbers(commit))
            .arg(mark(commit.cause))
            .arg(tried(commit.cause))
            .arg(tail(commit))
            .arg(key.chat)
            .arg(self.limits(home(key, LaneKind::Messages)));
        call = match &commit.settles {
            Some(settle) => call.packed(settle.token.0),
            None => call.arg(""),
        };
        call = call.arg(commit.dead.as_deref().unwrap_or_default());
        for id in commit.settles.iter().flat_map(|settle| &settle.ids) {
            call = call.arg(format!("{id}\n"));
        }
        for item in commit.messages.iter().chain(&commit.jobs) {
            call = call.arg(packed_item(item));
        }
        call
    }

    /// The numbers that `commit.lua` begins with.
    fn commit_numbers(&self, commit: &Commit) -> Vec<u8> {
        let settles = commit.settles.as_ref().map_or(0, |settle| settle.ids.len());
        let mut numbers = Vec::with_capacity(30);
        numbers.put_u64(commit.loaded_at);
        numbers.put_u64(commit.expected);
        numbers.put_u64(millis(commit.next.idle));
        for count in [self.keys.place_bytes(), settles, commit.messages.len()] {
            numbers.put_u16(count as u16);
        }
        numbers
    }

    pub(super) async fn read(&self, key: &DialogueKey) -> Result<Option<Person>> {
        let call = self.call(&PEEK, &[&self.keys.record(key)]);
        Ok(self.read_by(&[*key], vec![call]).await?.pop())
    }

    /// Those who are in the middle of a dialogue, in one trip. The timers of the others are taken away.
    pub(super) async fn members(&self, keys: &[DialogueKey]) -> Result<Vec<Person>> {
        let call = |key: &DialogueKey| {
            let timers = &self.keys.of_chat(key.chat).timers;
            self.call(&MEMBER, &[&self.keys.record(key), timers]).arg(dialogue_name(key))
        };
        self.read_by(keys, keys.iter().map(call).collect()).await
    }

    /// What a call for each of these answers, of those that answer something.
    async fn read_by(&self, keys: &[DialogueKey], calls: Vec<Call>) -> Result<Vec<Person>> {
        let answers: Vec<Option<(bool, Vec<u8>)>> = self.ask_all(calls).await?;
        let found = keys.iter().zip(answers);
        let found = found.filter_map(|(key, answer)| Some((*key, answer?)));
        found
            .map(|(key, (is_readable, record))| match is_readable {
                true => Ok(Record::decode(&record.into())?.person(key)),
                false => Ok(unreadable_person(key, record)),
            })
            .collect()
    }
}

/// The record has two bytes for the length of the labels.
fn check_labels(commit: &Commit) -> Result<()> {
    match commit.next.labels.iter().map(|label| label.len() + 1).sum() {
        bytes if bytes > usize::from(u16::MAX) => Err(Error::TooLarge { bytes }),
        _ => Ok(()),
    }
}

/// No record at all is an empty one.
fn snapshot(now: Millis, pending: u32, tries: u32, record: Bytes) -> Result<Snapshot> {
    let record = Some(record).filter(|record| !record.is_empty());
    let record = record.as_ref().map(Record::decode).transpose()?;
    Ok(Snapshot {
        unreadable: None,
        version: record.as_ref().map_or(0, |record| record.version),
        due: record.as_ref().and_then(|record| record.due),
        body: record.and_then(|record| record.body),
        pending,
        tries,
        now,
    })
}

fn unreadable_person(key: DialogueKey, record: Vec<u8>) -> Person {
    Person {
        key,
        version: UNREADABLE,
        unreadable: Some(record.into()),
        labels: Vec::new(),
        body: Bytes::new(),
        due: None,
    }
}

fn unreadable(now: Millis, pending: u32, record: Bytes) -> Snapshot {
    Snapshot { version: UNREADABLE, unreadable: Some(record), pending, now, ..Snapshot::default() }
}

/// A lane of the chat that the dialogue lives in.
fn home(key: &DialogueKey, kind: LaneKind) -> Lane {
    Lane { kind, chat: key.chat }
}

/// A cause as its tries are counted under: numbers beyond 48 bits do not come up.
fn tried(cause: Cause) -> Vec<u8> {
    cause.number().to_be_bytes()[2..].to_vec()
}

/// A turn as it is noted among the last few: half of a random number tells them apart.
fn noted(turn: Token) -> Vec<u8> {
    turn.0.to_be_bytes()[4..].to_vec()
}

/// The beginning of a seen mark; empty for what never enters them.
fn mark(cause: Cause) -> Vec<u8> {
    cause.update().map_or_else(Vec::new, |id| id.to_le_bytes().to_vec())
}
