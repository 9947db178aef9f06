//! Turns that cannot go on as they should: counted, left to a newer build, or given up with a dead letter.

use std::time::Instant;

use bytes::Bytes;
use tower::Service;

use super::sitting::Sitting;
use super::step::Ready;
use super::{MAX_TRIES, OutcomeKind, StateService, TurnError};
use crate::dialogue::{Halt, How, Played, RECORD, Scene};
use crate::letter::{Kind, Letter, Why};
use crate::store::{Head, Item, Lane, LaneKind, MAX_BODY_BYTES, Pushed, Token};
use crate::trace::Trace;
use crate::turn::{LeasedQueue, Unplayed};

impl<S> StateService<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    /// A state of a newer build: left to a replica that can read it, else kept and explained.
    pub(super) async fn keep_for_newer(
        &self,
        sitting: &Sitting,
        flow: String,
        schema: u32,
    ) -> Result<Ready, TurnError> {
        match self.may_be_read(&flow, schema) {
            true if sitting.is_timer() => return Ok(Ready::Nothing(String::new())),
            true => return Err(TurnError::Newer { flow }),
            false => {}
        }
        match self.play(sitting, How::KeepForNewer).await? {
            Ok(played) if flow == RECORD => self.say_beside(sitting, played).await,
            Ok(played) if played.changed => Ok(Ready::Step(played)),
            Ok(played) => Ok(Ready::Nothing(played.toast)),
            Err(_) => Ok(Ready::Nothing(String::new())),
        }
    }

    /// Whether some replica reads this. Before the first sign of life nobody knows who is there.
    pub(super) fn may_be_read(&self, flow: &str, schema: u32) -> bool {
        self.desk.peers.count() == 0 || self.desk.peers.read(flow, schema)
    }

    /// Says what there is to say without writing the record. The lane knows what it was handed: it is said once, for as long as that
    /// is remembered.
    async fn say_beside(&self, sitting: &Sitting, played: Played) -> Result<Ready, TurnError> {
        let key = &sitting.incoming.key;
        let lane = Lane { kind: LaneKind::Messages, chat: key.chat };
        for (index, effect) in played.effects.iter().enumerate() {
            let item = Item {
                id: format!("newer.{key}.{index}"),
                body: serde_json::to_vec(effect).expect("an effect is plain data").into(),
            };
            self.push(lane, item).await?;
        }
        Ok(Ready::Nothing(played.toast))
    }

    /// Appends an effect to a queue and hands that over if it was idle.
    async fn push(&self, lane: Lane, item: Item) -> Result<(), TurnError> {
        let (token, since) = (Token::fresh(), Instant::now());
        let pushed = self.desk.store.push(lane, token, &item).await?;
        if let Pushed::Leased { wait } = pushed {
            self.desk.leased.send(LeasedQueue { lane, token, since, head: Head { item, wait } });
        }
        Ok(())
    }

    /// Counts a failure. The turn comes again, or is given up.
    pub(super) async fn failed(
        &self,
        sitting: &mut Sitting,
        reason: &str,
    ) -> Result<Ready, TurnError> {
        let Sitting { incoming, turn, .. } = sitting;
        let mut tries = sitting.snapshot.tries;
        // Where nothing can be noted there is no second try.
        if sitting.snapshot.unreadable.is_some() {
            tries = MAX_TRIES;
        } else if tries == 0 {
            tries = self.desk.store.blame(&incoming.key, incoming.cause, *turn, true).await?;
        }
        if tries < MAX_TRIES {
            return Err(TurnError::Failed { tries, reason: reason.to_owned() });
        }
        // On what is there now, since blame may have made the record. If it is committed by now, the commit will say so.
        self.load(sitting).await?;
        self.give_up(sitting, reason).await
    }

    /// Ends the turn with a dead letter and an apology. Where the record is what nobody can read, the person begins anew.
    pub(super) async fn give_up(
        &self,
        sitting: &Sitting,
        reason: &str,
    ) -> Result<Ready, TurnError> {
        let mut played = self.play(sitting, How::GiveUp).await?;
        if let Err(Unplayed::Halt(Halt::Newer { flow, schema })) = played {
            return self.keep_for_newer(sitting, flow, schema).await;
        }
        if !played.as_ref().is_ok_and(|played| !is_too_large(played)) {
            played = self.play(sitting, How::Clear).await?;
        }
        let played = played.map_err(|_| TurnError::Failed {
            tries: sitting.snapshot.tries,
            reason: reason.to_owned(),
        })?;
        Ok(Ready::Final(played, letter(sitting, reason)))
    }

    /// Tells what was put aside: the update, or the record that it met, or the effect that it is about; in these cases the update
    /// was dealt with.
    pub(super) fn tell_of_letter(&self, trace: Trace, letter: &[u8]) -> OutcomeKind {
        let Letter { id, reason, kind, effect, .. } = Letter::read(letter);
        if kind == Kind::Effect {
            self.counters.letters.count(kind, Why::Unrecorded);
            tracing::warn!(
                %trace,
                effect.id = effect,
                letter = id,
                reason,
                "an effect was put aside as a dead letter"
            );
            return OutcomeKind::Applied;
        }
        if kind == Kind::Record {
            self.counters.letters.count(kind, Why::Unreadable);
            tracing::error!(
                %trace,
                letter = id,
                "a record that cannot be read was put aside as a dead letter, and begun anew"
            );
            return OutcomeKind::Applied;
        }
        self.counters.letters.count(kind, Why::Failed);
        tracing::warn!(
            %trace,
            letter = id,
            reason,
            "an update was put aside as a dead letter"
        );
        OutcomeKind::DeadLetter
    }
}

/// A state over the ceiling is the step's own error: it would be as large at every try.
pub(super) fn is_too_large(played: &Played) -> bool {
    played.changed && played.dialogue.write().len() > MAX_BODY_BYTES
}

/// A dead letter: what came, why it failed, how often it was tried; or the record that nobody can read.
pub(super) fn letter(sitting: &Sitting, reason: &str) -> Bytes {
    let Sitting { incoming, snapshot, .. } = sitting;
    let letter = match sitting.broken() {
        Some(record) => Letter::of_record(&incoming.key, snapshot.now, &record),
        None => Letter::of_update(incoming, snapshot, reason),
    };
    letter.write()
}
