//! Dialogues: what their scripts are told, and how to read what they answer.

use std::time::Duration;

use bytes::Bytes;

use super::Redis;
use super::keys::dialogue_name;
use super::lane::packed_item;
use super::record::{Record, tail};
use super::script::{BLAME, COMMIT, Call, LOAD, PEEK, millis};
use crate::store::pace::Micros;
use crate::store::{
    Cause, Commit, Committed, Error, Key, Lane, LaneKind, Loaded, Millis, Person, Receipt, Result,
    Settle, Snapshot, Token, UNREADABLE,
};

/// What `load.lua` answers: a verdict, time, pending jobs, tries, record.
type LoadAnswer = (u8, Millis, u32, u32, Option<Vec<u8>>);

/// What `commit.lua` answers: a verdict, five numbers whose meaning depends on it, a record after a conflict, how long the
/// messages wait, how many were dropped.
type CommitAnswer = (u8, u64, u32, u32, u32, u64, Option<Vec<u8>>, Micros, u32);

impl Redis {
    pub(super) async fn load_for(&self, key: &Key, cause: Cause, turn: Token) -> Result<Loaded> {
        let (record, jobs) = (
            self.keys.record(key),
            self.keys.lane(home(key, LaneKind::Jobs)),
        );
        let call = self
            .call(&LOAD, &[&record, &jobs])
            .arg(mark(cause))
            .arg(tried(cause))
            .arg(noted(turn));
        let (verdict, now, pending, tries, record): LoadAnswer = self.ask(call).await?;
        Ok(match verdict {
            0 => Loaded::Fresh(snapshot(now, pending, tries, record)?),
            1 => Loaded::Duplicate,
            2 => Loaded::Fresh(unreadable(now, pending, record)),
            other => return Err(Error::Corrupt(format!("load.lua answered {other}"))),
        })
    }

    pub(super) async fn note(
        &self,
        key: &Key,
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

    pub(super) async fn put_into_effect(&self, key: &Key, commit: &Commit) -> Result<Committed> {
        check_labels(commit)?;
        let (verdict, first, second, third, fourth, fifth, record, wait, dropped): CommitAnswer =
            self.ask(self.commit_call(key, commit)).await?;
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

    fn commit_call(&self, key: &Key, commit: &Commit) -> Call {
        let keys = self.keys.of_chat(key.chat);
        let (messages, jobs) = (home(key, LaneKind::Messages), home(key, LaneKind::Jobs));
        let names = [
            &self.keys.record(key),
            &keys.timers,
            &keys.active,
            &self.keys.lane(messages),
            &self.keys.lane(jobs),
            &keys.ready,
            &keys.owner,
            &keys.dead,
            &keys.sequence,
            &self.keys.pacing(key.chat),
            &keys.blocked,
            &keys.dropped,
        ];
        let mut call = self
            .call(&COMMIT, &names.map(String::as_str))
            .arg(mark(commit.cause))
            .arg(tried(commit.cause))
            .packed(commit.expected)
            .arg(commit.loaded_at)
            .arg(tail(commit))
            .arg(
                commit
                    .next
                    .due
                    .map_or_else(String::new, |due| due.to_string()),
            )
            .arg(millis(commit.next.idle))
            .arg(dialogue_name(key))
            .arg(messages.to_string())
            .arg(jobs.to_string())
            .arg(commit.dead.as_deref().unwrap_or_default())
            .arg(self.limits(messages))
            .arg(key.chat);
        call = settling(call, commit.settles.as_ref()).arg(commit.messages.len());
        for id in commit.settles.iter().flat_map(|settle| &settle.ids) {
            call = call.arg(format!("{id}\n"));
        }
        for item in commit.messages.iter().chain(&commit.jobs) {
            call = call.arg(packed_item(item));
        }
        call
    }

    pub(super) async fn read(&self, key: &Key) -> Result<Option<Person>> {
        Ok(self.read_all(&[*key]).await?.pop())
    }

    /// Those whose records are there, in one trip.
    pub(super) async fn read_all(&self, keys: &[Key]) -> Result<Vec<Person>> {
        let calls = keys
            .iter()
            .map(|key| self.call(&PEEK, &[&self.keys.record(key)]));
        let answers: Vec<Option<(bool, Vec<u8>)>> = self.ask_all(calls.collect()).await?;
        let found = keys.iter().zip(answers);
        let found = found.filter_map(|(key, answer)| Some((*key, answer?)));
        found
            .map(|(key, (is_readable, record))| match is_readable {
                true => Ok(Record::decode(record)?.person(key)),
                false => Ok(unreadable_person(key, record)),
            })
            .collect()
    }
}

/// Whose jobs are settled, and how many.
fn settling(call: Call, settle: Option<&Settle>) -> Call {
    match settle {
        Some(Settle { token, ids }) => call.packed(token.0).arg(ids.len()),
        None => call.arg("").arg(0),
    }
}

/// The record has two bytes for the length of the labels.
fn check_labels(commit: &Commit) -> Result<()> {
    match commit.next.labels.iter().map(|label| label.len() + 1).sum() {
        bytes if bytes > usize::from(u16::MAX) => Err(Error::TooLarge { bytes }),
        _ => Ok(()),
    }
}

fn snapshot(now: Millis, pending: u32, tries: u32, record: Option<Vec<u8>>) -> Result<Snapshot> {
    let record = record.map(Record::decode).transpose()?;
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

fn unreadable_person(key: Key, record: Vec<u8>) -> Person {
    Person {
        key,
        version: UNREADABLE,
        unreadable: Some(record.into()),
        labels: Vec::new(),
        body: Bytes::new(),
        due: None,
    }
}

fn unreadable(now: Millis, pending: u32, record: Option<Vec<u8>>) -> Snapshot {
    Snapshot {
        version: UNREADABLE,
        unreadable: record.map(Bytes::from),
        pending,
        now,
        ..Snapshot::default()
    }
}

/// A lane of the chat that the dialogue lives in.
fn home(key: &Key, kind: LaneKind) -> Lane {
    Lane {
        kind,
        chat: key.chat,
    }
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
    cause
        .update()
        .map_or_else(Vec::new, |id| id.to_le_bytes().to_vec())
}
