//! Dialogues: loading one for a turn, and putting the turn's step into effect.

use std::time::Duration;

use super::record::Record;
use super::{Desk, keys};
use crate::{
    Cause, Commit, Committed, DialogueKey, Lane, LaneKind, Loaded, MAX_TURN_AGE, Next, Person,
    Receipt, Result, SEEN_FOR, Snapshot, Token, UNREADABLE, partition,
};

impl Desk<'_> {
    /// See [`Store::load`](crate::Store::load).
    pub(super) fn load(&mut self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        let mut record = self.record(key)?;
        if self.has_seen(record.as_ref(), cause) {
            return Ok(Loaded::Duplicate);
        }
        if let Some(record) = &mut record
            && record.unreadable.is_none()
        {
            record.tries.note(cause, turn);
            self.shelf.put(&keys::record(key), &record.encode())?;
        }
        self.snapshot(key, record, cause).map(Loaded::Fresh)
    }

    /// See [`Store::blame`](crate::Store::blame).
    pub(super) fn blame(
        &mut self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        let old = self.record(key)?;
        let mut record = match (&old, guilty) {
            (Some(record), _) if record.unreadable.is_some() => return Ok(0),
            (Some(record), _) => record.clone(),
            (None, true) => self.bare(),
            (None, false) => return Ok(0),
        };
        if guilty {
            record.tries.note(cause, turn);
        } else {
            record.tries.take_back(cause, turn);
        }
        self.write(key, old.as_ref(), &record)?;
        Ok(record.tries.count(cause))
    }

    /// See [`Store::commit`](crate::Store::commit).
    pub(super) fn commit(&mut self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        let old = self.record(key)?;
        if let Some(receipt) = self.receipt_again(key, old.as_ref(), commit)? {
            return Ok(Committed::Done(receipt));
        }
        if self.has_seen(old.as_ref(), commit.cause) {
            return Ok(Committed::Duplicate);
        }
        if self.now.saturating_sub(commit.loaded_at) > super::millis(MAX_TURN_AGE) {
            return Ok(Committed::TooOld);
        }
        if old.as_ref().map_or(0, |record| record.version) != commit.expected {
            let snapshot = self.snapshot(key, old, commit.cause)?;
            return Ok(Committed::Conflict(snapshot));
        }
        if let Some(settle) = &commit.settles
            && !self.can_settle(home(key, LaneKind::Jobs), settle)?
        {
            return Ok(Committed::Stale);
        }
        self.put_into_effect(key, old.as_ref(), commit).map(Committed::Done)
    }

    /// See [`Store::peek`](crate::Store::peek).
    pub(super) fn peek(&mut self, key: &DialogueKey) -> Result<Option<Person>> {
        let record = self.record(key)?;
        Ok(record.map(|record| record.person(*key)))
    }

    /// The receipt of a turn that has committed before. The record forgets it with the next commit; the lanes, while
    /// they are still the turn's.
    fn receipt_again(
        &mut self,
        key: &DialogueKey,
        record: Option<&Record>,
        commit: &Commit,
    ) -> Result<Option<Receipt>> {
        let turn = Some(commit.turn);
        let messages_leased = self.owner(home(key, LaneKind::Messages))? == turn;
        let jobs_leased = self.owner(home(key, LaneKind::Jobs))? == turn;
        let last = record.filter(|record| record.turn == turn);
        if !(last.is_some() || messages_leased || jobs_leased) {
            return Ok(None);
        }
        Ok(Some(Receipt {
            version: record.map_or(0, |record| record.version),
            messages_leased,
            messages_wait: self.wait_where(messages_leased, key)?,
            jobs_leased,
            dropped: commit.dropped(last.is_some_and(|record| record.dropped)),
            crowded_out: last.map_or(0, |record| record.crowded_out),
            sequence: self.number(&keys::sequence(partition(key.chat)))?,
        }))
    }

    /// Writes a commit that passed all checks.
    fn put_into_effect(
        &mut self,
        key: &DialogueKey,
        old: Option<&Record>,
        commit: &Commit,
    ) -> Result<Receipt> {
        let record =
            Record { dropped: self.is_unwelcome(key.chat, commit)?, ..self.next(old, commit) };
        self.write(key, old, &record)?;
        if let Some(letter) = &commit.dead {
            self.keep_letter(partition(key.chat), letter)?;
        }
        let jobs = home(key, LaneKind::Jobs);
        if let Some(settle) = &commit.settles {
            self.settle(jobs, settle.ids.len())?;
        }
        let messages = if record.dropped { &[][..] } else { &commit.messages };
        let messages_leased = self.append(home(key, LaneKind::Messages), commit.turn, messages)?;
        Ok(Receipt {
            version: record.version,
            messages_leased,
            messages_wait: self.wait_where(messages_leased, key)?,
            jobs_leased: self.append(jobs, commit.turn, &commit.jobs)?,
            dropped: commit.dropped(record.dropped),
            crowded_out: record.crowded_out,
            sequence: self.add(&keys::sequence(partition(key.chat)), 1)?,
        })
    }

    /// Whether the messages of a commit are left out. An update shows that the chat can be reached again.
    fn is_unwelcome(&mut self, chat: i64, commit: &Commit) -> Result<bool> {
        match commit.cause {
            Cause::Update(_) => self.unblock(chat).map(|()| false),
            Cause::Timer(_) | Cause::Order => {
                Ok(!commit.messages.is_empty() && self.is_blocked(chat)?)
            }
        }
    }

    /// How long the one who was leased the messages of the home is to wait.
    fn wait_where(&mut self, is_leased: bool, key: &DialogueKey) -> Result<Duration> {
        if is_leased { self.wait(home(key, LaneKind::Messages)) } else { Ok(Duration::ZERO) }
    }

    /// What the record becomes.
    fn next(&self, old: Option<&Record>, commit: &Commit) -> Record {
        let Next { labels, body, due, idle } = commit.next.clone();
        let (version, mut seen, mut tries) = old.map_or_else(Default::default, |old| {
            (old.version, old.seen.clone(), old.tries.clone())
        });
        tries.end(commit.cause);
        let update = commit.cause.update();
        let crowded_out = update.map_or(0, |id| seen.add(id, self.now));
        let is_idle = labels.is_empty();
        Record {
            version: self.version_after(version),
            unreadable: None,
            labels,
            body: Some(body),
            due: due.filter(|_| !is_idle),
            expires: is_idle.then(|| self.after(idle)),
            turn: Some(commit.turn),
            crowded_out,
            dropped: false,
            tries,
            seen,
        }
    }

    /// A record made for blame alone.
    fn bare(&self) -> Record {
        Record {
            version: self.version_after(0),
            expires: Some(self.after(SEEN_FOR)),
            ..Record::default()
        }
    }

    /// A new record begins at the time, so that its versions never repeat those of a forgotten one, or of one that cannot be
    /// read.
    fn version_after(&self, version: u64) -> u64 {
        match version {
            0 | UNREADABLE => self.now.max(1),
            version => version + 1,
        }
    }

    fn has_seen(&self, record: Option<&Record>, cause: Cause) -> bool {
        let both = record.zip(cause.update());
        both.is_some_and(|(record, id)| record.seen.contains(id, self.now))
    }

    fn snapshot(
        &self,
        key: &DialogueKey,
        record: Option<Record>,
        cause: Cause,
    ) -> Result<Snapshot> {
        let record = record.unwrap_or_default();
        Ok(Snapshot {
            version: record.version,
            unreadable: record.unreadable,
            tries: record.tries.count(cause),
            body: record.body,
            due: record.due,
            pending: self.length(home(key, LaneKind::Jobs))?,
            now: self.now,
        })
    }
}

/// A lane of the chat that the dialogue lives in.
fn home(key: &DialogueKey, kind: LaneKind) -> Lane {
    Lane { kind, chat: key.chat }
}
