//! Works one lane, from its head until it is empty, must wait, or is someone else's.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::judge::UNWANTED;
use super::line::{self, Line};
use super::meters::Source;
use super::{Inner, Outbox};
use crate::letter::Why;
use crate::store::{self, After, Head, Item, Lane, Note, Token};

/// How long to wait before what was done is noted once more.
pub(super) const NOTE_DELAY: Duration = Duration::from_millis(250);

/// What became of an effect, to be noted in the store.
pub(super) enum Done {
    /// It was carried out; a message may have a name.
    Carried(Option<Note>),
    /// A commit took it off the lane; what that put there may be someone else's by now.
    Settled,
    /// It was put aside.
    Buried(Bytes),
    /// It was put aside because messages do not reach the chat: those behind it need not be tried.
    Unwanted(Bytes),
}

/// What came of the first effect of a lane.
enum Attended {
    Done(Done),
    /// It waits.
    GiveBack(Duration),
    /// The lane is someone else's.
    Lost,
}

impl Outbox {
    pub(super) async fn work(&self, lane: Lane, token: Token, head: Head, source: Source) {
        let (mut next, mut is_unwanted) = (Some(head), false);
        while let Some(Head { item, wait }) = next.take() {
            let attended = match is_unwanted && self.is_blocked(lane.chat).await {
                true => {
                    Attended::Done(Done::Unwanted(self.letter(lane, &item, Why::Blocked, UNWANTED)))
                }
                false => self.attend(lane, token, &item, wait, source).await,
            };
            let done = match attended {
                Attended::Done(done) => done,
                Attended::GiveBack(delay) => return self.give_back(lane, token, delay).await,
                Attended::Lost => return,
            };
            is_unwanted = matches!(done, Done::Unwanted(_));
            let is_settled = matches!(done, Done::Settled);
            match self.note(lane, token, &item, done).await {
                Ok(After::Next(head)) => next = Some(head),
                Ok(After::Empty) => {}
                Ok(After::Stale) if is_settled => {}
                Ok(After::Stale) => {
                    self.inner.meters.stale.increment(1);
                    line::overtaken(lane, &item);
                }
                // We stop, and the store is away. Who comes next will do it again.
                Err(error) => tracing::warn!(%lane, %error, "a lane waits for the store"),
            }
        }
    }

    /// Carries the first effect of a lane out, once it may be.
    async fn attend(
        &self,
        lane: Lane,
        token: Token,
        item: &Item,
        wait: Duration,
        source: Source,
    ) -> Attended {
        if let Err(delay) = self.ready(lane, item, wait).await {
            return Attended::GiveBack(delay);
        }
        if !self.holds(lane, token).await {
            return Attended::Lost;
        }
        let began = Instant::now();
        let failure = match self.carry_out(lane, token, item).await {
            Ok(done) => {
                let line = Line { lane, item, source, began };
                line.carried_out();
                return Attended::Done(done);
            }
            Err(failure) => failure,
        };
        let judged = self.judge(lane, item, failure, began).await;
        judged.map_or_else(Attended::GiveBack, Attended::Done)
    }

    /// Notes that an effect was carried out, or put aside, as often as it takes: nobody else knows, and what is not noted would
    /// be done again.
    async fn note(
        &self,
        lane: Lane,
        token: Token,
        item: &Item,
        done: Done,
    ) -> store::Result<After> {
        let Inner { store, stopping, .. } = &*self.inner;
        loop {
            let noted = match &done {
                Done::Carried(note) => store.done(lane, token, &item.id, note.as_ref()).await,
                // It only asks for the next one, where the lane is still ours.
                Done::Settled => store.done(lane, token, &item.id, None).await,
                Done::Buried(letter) | Done::Unwanted(letter) => {
                    store.bury(lane, token, &item.id, letter.clone()).await
                }
            };
            if noted.is_ok() || stopping.is_cancelled() {
                return noted;
            }
            stopping.run_until_cancelled(tokio::time::sleep(NOTE_DELAY)).await;
        }
    }

    async fn give_back(&self, lane: Lane, token: Token, delay: Duration) {
        if let Err(error) = self.inner.store.retry(lane, token, delay).await {
            tracing::warn!(%lane, %error, "a lane could not be given back; its lease will run out");
        }
    }
}
