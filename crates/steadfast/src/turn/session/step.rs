//! Makes the step of a turn, or what takes its place when it cannot be made.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use bytes::Bytes;
use tower::Service;

use super::failure::{is_too_large, letter};
use super::sitting::Sitting;
use super::{MAX_TRIES, StateService, TurnError};
use crate::dialogue::{Halt, How, Played, RECORD, Scene};
use crate::store;
use crate::turn::Unplayed;

/// Why a person has to begin anew.
const UNREAD: &str = "the record cannot be read";

/// A step that is ready to be committed, or the reason why there is none.
pub(super) enum Ready {
    /// To be committed.
    Step(Played),
    /// As a step, with a dead letter.
    Final(Played, Bytes),
    /// Nothing to do, but to be remembered.
    Noted(Played),
    /// Nothing to do.
    Nothing(String),
}

impl<S> StateService<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    /// Makes the step, or what takes its place when it cannot be made.
    pub(super) async fn step(&self, sitting: &mut Sitting) -> Result<Ready, TurnError> {
        if sitting.is_early() {
            return Ok(Ready::Nothing(String::new()));
        }
        // It moved while the step was made; whoever comes again finds it.
        if sitting.seal().is_some() && sitting.incoming.settles.is_none() {
            return Err(TurnError::Contended(sitting.attempts));
        }
        // Also who begins anew is left to a replica that knows what is put aside by that.
        if sitting.begins()
            && let Some(format) = sitting.newer()
            && self.may_be_read(RECORD, format)
        {
            let flow = RECORD.to_owned();
            return Err(TurnError::Newer { flow });
        }
        if sitting.snapshot.tries > MAX_TRIES {
            return self
                .give_up(sitting, "the process died, or the step failed, at every try")
                .await;
        }
        match caught(self.play(sitting, How::Play)).await? {
            Ok(played) if is_too_large(&played) => self.failed(sitting, &too_large(&played)).await,
            Ok(played) if sitting.begins() && sitting.broken().is_some() => {
                let letter = letter(sitting, UNREAD);
                Ok(Ready::Final(played, letter))
            }
            // Jobs that are not answered would be asked about again and again.
            Ok(played) if played.changed || sitting.incoming.settles.is_some() => {
                Ok(Ready::Step(played))
            }
            Ok(played) => self.nothing(sitting, played).await,
            Err(Unplayed::Broken) => self.give_up(sitting, UNREAD).await,
            Err(Unplayed::Halt(Halt::Newer { flow, schema })) => {
                self.keep_for_newer(sitting, flow, schema).await
            }
            Err(Unplayed::Halt(Halt::Needs(_))) => {
                self.failed(sitting, "the reads never came to an end").await
            }
            Err(Unplayed::Unread(reason)) => self.failed(sitting, &reason).await,
            Err(Unplayed::Panicked) => {
                self.failed(sitting, "the step panicked; the log says where").await
            }
        }
    }

    /// Nothing to do, unless it shows that somebody is back who had blocked the bot: a commit takes note of that. What was passed
    /// by in a group is remembered: a copy that comes late must not be taken for the answer to what was asked since.
    async fn nothing(&self, sitting: &Sitting, played: Played) -> Result<Ready, TurnError> {
        let chat = sitting.incoming.key.chat;
        if sitting.incoming.cause.update().is_none() {
            return Ok(Ready::Nothing(played.toast));
        }
        if chat < 0 {
            return Ok(match sitting.is_on_record() {
                true => Ready::Noted(played),
                false => Ready::Nothing(played.toast),
            });
        }
        match self.desk.store.blocked(chat).await? {
            true => Ok(Ready::Step(played)),
            false => Ok(Ready::Nothing(played.toast)),
        }
    }
}

/// Whatever panics on the way is as if the flow had.
async fn caught<T>(
    play: impl Future<Output = Result<Result<T, Unplayed>, TurnError>>,
) -> Result<Result<T, Unplayed>, TurnError> {
    let mut play = pin!(play);
    poll_fn(|context| {
        // What was half done is not looked at again.
        let polled = catch_unwind(AssertUnwindSafe(|| play.as_mut().poll(context)));
        polled.unwrap_or(Poll::Ready(Ok(Err(Unplayed::Panicked))))
    })
    .await
}

fn too_large(played: &Played) -> String {
    let bytes = played.dialogue.write().len();
    store::Error::TooLarge { bytes }.to_string()
}
