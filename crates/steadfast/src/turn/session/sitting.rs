//! A turn under way: what came, and how it finds the dialogue.

use bytes::Bytes;

use crate::dialogue::{
    Context, Dialogue, Halt, How, Input, RECORD, Reads, Scene, Turn, Unreadable,
};
use crate::store::{Cause, Commit, Snapshot, Token};
use crate::turn::Event;
use crate::turn::Unplayed;

/// A turn under way.
pub(super) struct Sitting {
    pub(super) incoming: Event,
    pub(super) turn: Token,
    pub(super) snapshot: Snapshot,
    pub(super) attempts: u32,
}

impl Sitting {
    /// Whether this is a timer that was moved since it was found.
    pub(super) fn is_early(&self) -> bool {
        let Snapshot { due, now, unreadable: None, .. } = self.snapshot else {
            return false;
        };
        match self.incoming.cause {
            Cause::Timer(found) => due.is_none_or(|due| due > found.max(now)),
            Cause::Update(_) | Cause::Order => false,
        }
    }

    /// Whether anything is kept of the person here. Of whoever only talks to others nothing is.
    pub(super) fn is_on_record(&self) -> bool {
        self.snapshot.version > 0 && self.seal().is_none()
    }

    /// Whether the person, or an operator, wants to begin anew, wherever the dialogue is.
    pub(super) fn begins(&self) -> bool {
        match &self.incoming.input {
            Input::Command(command) => matches!(command.name.as_str(), "start" | "cancel"),
            input => matches!(input, Input::Reset | Input::Forget),
        }
    }

    /// The letter of the jobs that this turn settles, where the commit has another one: it keeps only that.
    pub(super) fn other_letter(&self, commit: &Commit) -> Option<Bytes> {
        let letter = self.incoming.settles.as_ref()?.letter.clone()?;
        (commit.dead.as_ref() != Some(&letter)).then_some(letter)
    }

    pub(super) fn is_timer(&self) -> bool {
        matches!(self.incoming.cause, Cause::Timer(_))
    }

    /// The format of a record that only a newer build reads.
    pub(super) fn newer(&self) -> Option<u32> {
        match Dialogue::read(self.snapshot.body.as_deref()) {
            Err(Unreadable::Newer(format)) if self.seal().is_none() => Some(format),
            _ => None,
        }
    }

    /// What is there in the place of a dialogue that could be read.
    pub(super) fn broken(&self) -> Option<Bytes> {
        let Snapshot { body, unreadable, .. } = &self.snapshot;
        let body = body
            .clone()
            .filter(|body| self.seal().is_none() && Dialogue::read(Some(body)).is_err());
        unreadable.clone().or(body)
    }

    /// The dialogue, or a blank one in the place of one that cannot be read: for who begins anew, and for an apology.
    fn dialogue(&self, how: How) -> Result<Dialogue, Unplayed> {
        let read = match &self.snapshot.unreadable {
            Some(_) => Err(Unreadable::Broken),
            None if self.seal().is_some() => Ok(Dialogue::default()),
            None => Dialogue::read(self.snapshot.body.as_deref()),
        };
        match read {
            Err(_) if self.begins() => Ok(Dialogue::default()),
            // Nothing is written then; only a word is said.
            Err(Unreadable::Newer(_)) if how == How::KeepForNewer && !self.is_timer() => {
                Ok(Dialogue::default())
            }
            Err(Unreadable::Newer(schema)) => {
                Err(Unplayed::Halt(Halt::Newer { flow: RECORD.to_owned(), schema }))
            }
            Err(Unreadable::Broken) if how == How::Clear => Ok(Dialogue::default()),
            Err(Unreadable::Broken) => Err(Unplayed::Broken),
            Ok(dialogue) => Ok(dialogue),
        }
    }

    /// The scene to be played: what happened, where the dialogue is.
    pub(super) fn scene(&self, how: How) -> Result<Scene, Unplayed> {
        let Event { key, person, input, reply_to, sent, cause, stamp, .. } = &self.incoming;
        let view = Context {
            key: *key,
            person: person.clone(),
            now: self.snapshot.now,
            bot: String::new(),
            reads: Reads::default(),
        };
        let turn = Turn {
            view,
            input: input.clone(),
            reply_to: *reply_to,
            sent: *sent,
            last_album: None,
            drafts: Vec::new(),
            is_blank: false,
            stamp: format!("{}.{stamp}", cause.number()),
            secret: String::new(),
        };
        Ok(Scene { dialogue: self.dialogue(how)?, turn, how })
    }
}
