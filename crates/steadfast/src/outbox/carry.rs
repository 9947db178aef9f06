//! Carries one effect out: sends, changes or deletes a message, or does a job.

use std::time::Duration;

use super::Outbox;
use super::retry::Failure;
use super::send::is_editable;
use super::work::Done;
use crate::dialogue::{Effect, Message};
use crate::store::{Item, Lane, LaneKind, Note, Token};

/// Why a message is not sent whose record could not be told its id.
const NAMELESS: &str = "the command that follows it has no fields";
/// How long to leave an effect to other replicas that only they may know.
pub(super) const ELSEWHERE: Duration = Duration::from_secs(1);

impl Outbox {
    pub(super) async fn carry_out(
        &self,
        lane: Lane,
        token: Token,
        item: &Item,
    ) -> Result<Done, Failure> {
        let effect = match serde_json::from_slice(&item.body) {
            Ok(effect) => effect,
            Err(_) if self.may_be_known() => return Err(Failure::Wait(ELSEWHERE)),
            Err(_) => {
                let reason = "an effect that this build cannot read";
                return Err(Failure::Senseless(reason));
            }
        };
        match lane.kind {
            LaneKind::Jobs => return self.job(lane, token, item, effect).await,
            LaneKind::Aside => return self.write_aside(lane, item, effect).await,
            LaneKind::Messages | LaneKind::Bulk => {}
        }
        let note = match effect {
            Effect::Send(message) => {
                let note = self.send(lane, token, &item.id, &message).await?;
                self.inner.meters.answered(&message);
                note
            }
            Effect::Delete { chat, name } => self.delete(lane, token, chat, &name).await?,
            Effect::Typing { chat, topic } => {
                self.inner.sender.typing(chat, topic).await?;
                None
            }
            Effect::Record(_) => {
                return Err(Failure::Senseless("a record in a lane of messages"));
            }
        };
        self.inner.failures.worked(lane);
        Ok(Done::Carried(note))
    }

    /// Sends a message, or changes the one of its name in place.
    async fn send(
        &self,
        lane: Lane,
        token: Token,
        id: &str,
        message: &Message,
    ) -> Result<Option<Note>, Failure> {
        let then = message.then.as_ref();
        if then.is_some_and(|record| !record.command.is_object()) {
            return Err(Failure::Senseless(NAMELESS));
        }
        let sent = match self.edited(lane, token, message).await? {
            None => self.inner.sender.send(message).await?,
            edited => edited,
        };
        let note = message.name.clone().zip(sent).map(|(name, message)| Note { name, message });
        if let Some(record) = &message.then {
            self.follow(message.chat, id, record, sent).await?;
        }
        Ok(note)
    }

    /// The message that was changed in place, if there is one that could be.
    async fn edited(
        &self,
        lane: Lane,
        token: Token,
        message: &Message,
    ) -> Result<Option<i64>, Failure> {
        let name = message.name.as_ref().filter(|_| is_editable(message));
        let Some(name) = name else {
            return Ok(None);
        };
        let old = self.named(message.chat, name).await?;
        self.still_holds(lane, token).await?;
        let Some(old) = old else {
            return Ok(None);
        };
        if self.inner.sender.edit(message, old).await? {
            return Ok(Some(old));
        }
        // That was a call, and to send it is another.
        self.take(lane, 1).await.map_err(Failure::Wait)?;
        self.still_holds(lane, token).await?;
        Ok(None)
    }

    async fn delete(
        &self,
        lane: Lane,
        token: Token,
        chat: i64,
        name: &str,
    ) -> Result<Option<Note>, Failure> {
        if let Some(message) = self.named(chat, name).await? {
            self.still_holds(lane, token).await?;
            self.inner.sender.delete(chat, message).await?;
        }
        Ok(None)
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>, Failure> {
        self.inner.store.named(chat, name).await.map_err(|_| Failure::Wait(Duration::from_secs(1)))
    }
}
