//! One body, from reading it to what became of it.

use bytes::Bytes;
use tower::ServiceExt;
use tracing::{debug, info, warn};

use super::Webhook;
use super::answer::{Answer, Outcome};
use crate::intake::update::{Read, Unreadable};
use crate::letter::Letter;
use crate::turn::Event;
use crate::turn::migration;

impl Webhook {
    /// Reads the update and has it dealt with.
    pub(crate) async fn take(&self, body: Bytes) -> Answer {
        match self.reader.read(&body) {
            Ok(Read::Event(incoming)) => self.turn(*incoming).await,
            Ok(Read::Ignored(kind)) => {
                self.meter.update(kind, None);
                Answer::done(Outcome::Ignored)
            }
            Ok(Read::Migrated { from, to }) => self.migrated(from, to).await,
            Err(reason) => self.put_aside(&body, &reason).await,
        }
    }

    async fn turn(&self, incoming: Event) -> Answer {
        self.meter.update(incoming.kind, incoming.sent);
        let (trace, callback) = (incoming.trace(), incoming.callback.clone());
        let answer = match self.pipeline.clone().oneshot(incoming).await {
            Ok(moved) => {
                let answer = Answer::done(moved.outcome.into());
                match callback {
                    Some(id) => answer.with_callback(id, moved.toast),
                    None => answer,
                }
            }
            Err(error) => {
                debug!(%error, "an update is asked for again");
                Answer::later((&error).into())
            }
        };
        answer.with_trace(trace)
    }

    /// Notes that a group became another chat, for the dialogues in it.
    async fn migrated(&self, from: i64, to: i64) -> Answer {
        self.meter.update("message", None);
        match migration::note(&*self.store, from, to).await {
            Ok(()) => {
                info!(from, to, "a group became another chat");
                Answer::done(Outcome::Applied)
            }
            Err(error) => {
                debug!(%error, "a group that became another chat could not be noted");
                Answer::later(Outcome::StoreError)
            }
        }
    }

    /// Keeps what cannot be read: asked for again it would be the same, and would block its chat for a day.
    async fn put_aside(&self, body: &Bytes, reason: &Unreadable) -> Answer {
        let letter = Letter::of_body(body, &reason.to_string());
        match self.store.entomb(letter.write()).await {
            Ok(()) => {
                self.meter.unreadable();
                warn!(letter = letter.id, %reason, bytes = body.len(), "an update was put aside as a dead letter");
                Answer::done(Outcome::DeadLetter)
            }
            Err(error) => {
                debug!(%error, "an unreadable update could not be put aside");
                Answer::later(Outcome::StoreError)
            }
        }
    }
}
