//! Works one lane, from its head until it is empty, must wait, or is someone else's.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::limits::NotNow;
use super::line::{self, Line};
use super::retry::Failure;
use super::send::is_editable;
use super::{Held, Inner, Outbox, Source};
use crate::dialogue::{Effect, Message};
use crate::letter::Why;
use crate::migration;
use crate::store::{self, After, Head, Item, Lane, LaneKind, Note, Pushed, Refused, Token};

/// The longest a lane is held while nothing may be sent; with a longer wait it is given back.
const PATIENCE: Duration = Duration::from_secs(2);
/// Why a message is put aside that nobody tried to send.
pub(super) const UNWANTED: &str = "the person has blocked the bot";
/// Why a message is not sent whose record could not be told its id.
const NAMELESS: &str = "the command that follows it has no fields";
/// How long to wait before what was done is noted once more.
pub(super) const NOTE_DELAY: Duration = Duration::from_millis(250);
/// How long to wait before a message is tried again that was refused when its person came back. Whoever is back is so in the next
/// second.
const COME_BACK: Duration = Duration::from_secs(1);

/// How long to leave an effect to other replicas that only they may know.
pub(super) const ELSEWHERE: Duration = Duration::from_secs(1);

/// What became of an effect, to be noted in the store.
pub(super) enum Done {
    /// It was carried out; a message may have a name.
    Carried(Option<Note>),
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
                true => Attended::Done(Done::Unwanted(self.letter(
                    lane,
                    &item,
                    Why::Blocked,
                    UNWANTED,
                ))),
                false => self.attend(lane, token, &item, wait, source).await,
            };
            let done = match attended {
                Attended::Done(done) => done,
                Attended::GiveBack(delay) => return self.give_back(lane, token, delay).await,
                Attended::Lost => return,
            };
            is_unwanted = matches!(done, Done::Unwanted(_));
            match self.note(lane, token, &item, done).await {
                Ok(After::Next(head)) => next = Some(head),
                Ok(After::Empty) => {}
                Ok(After::Stale) => self.inner.meters.stale.increment(1),
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
        if let Err(delay) = self.ready(lane, wait, item.sendings()).await {
            return Attended::GiveBack(delay);
        }
        if !self.holds(lane, token).await {
            return Attended::Lost;
        }
        let began = Instant::now();
        let failure = match self.carry_out(lane, token, item).await {
            Ok(done) => {
                let line = Line {
                    lane,
                    item,
                    source,
                    began,
                };
                line.carried_out();
                return Attended::Done(done);
            }
            Err(failure) => failure,
        };
        let judged = self.judge(lane, item, failure, began).await;
        judged.map_or_else(Attended::GiveBack, Attended::Done)
    }

    /// Whether messages still do not reach the chat: the person may have come back meanwhile.
    pub(super) async fn is_blocked(&self, chat: i64) -> bool {
        self.inner.store.blocked(chat).await.unwrap_or(false)
    }

    /// Waits until the effect may be sent, or answers how long to leave it.
    async fn ready(&self, lane: Lane, wait: Duration, count: u32) -> Result<(), Duration> {
        let Inner {
            stopping,
            failures,
            meters,
            ..
        } = &*self.inner;
        if lane.kind.is_sent() && !wait.is_zero() {
            meters.waits(lane.chat, wait);
        }
        if wait > PATIENCE {
            return Err(wait);
        }
        if stopping
            .run_until_cancelled(tokio::time::sleep(wait))
            .await
            .is_none()
            || stopping.is_cancelled()
        {
            return Err(Duration::ZERO);
        }
        if !lane.kind.is_sent() {
            return Ok(());
        }
        failures.admit(lane)?;
        self.take(lane, count).await
    }

    /// Takes so many sendings out of the limit of the bot, or answers how long to leave it.
    async fn take(&self, lane: Lane, count: u32) -> Result<(), Duration> {
        let Inner {
            stopping, purse, ..
        } = &*self.inner;
        let taken = purse.take(lane.kind, count);
        let taken = stopping.run_until_cancelled(taken).await;
        taken
            .unwrap_or(Err(NotNow(Duration::ZERO)))
            .map_err(|NotNow(wait)| wait)
    }

    async fn carry_out(&self, lane: Lane, token: Token, item: &Item) -> Result<Done, Failure> {
        let effect = match serde_json::from_slice(&item.body) {
            Ok(effect) => effect,
            Err(_) if self.may_be_known() => return Err(Failure::Wait(ELSEWHERE)),
            Err(_) => return Err(senseless("an effect that this build cannot read")),
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
                return Err(senseless("a record in a lane of messages"));
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
            return Err(senseless(NAMELESS));
        }
        let sent = match self.edited(lane, token, message).await? {
            None => self.inner.sender.send(message).await?,
            edited => edited,
        };
        let note = message
            .name
            .clone()
            .zip(sent)
            .map(|(name, message)| Note { name, message });
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

    /// Nothing may be sent that the next holder of the lane may have sent already, along with what comes after it: whoever has
    /// waited for an answer looks again.
    async fn still_holds(&self, lane: Lane, token: Token) -> Result<(), Failure> {
        match self.holds(lane, token).await {
            true => Ok(()),
            false => Err(Failure::Wait(Duration::ZERO)),
        }
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>, Failure> {
        self.inner
            .store
            .named(chat, name)
            .await
            .map_err(|_| Failure::Wait(Duration::from_secs(1)))
    }

    /// What a failure comes to: the effect is put aside, or handed on, or waits.
    async fn judge(
        &self,
        lane: Lane,
        item: &Item,
        failure: Failure,
        began: Instant,
    ) -> Result<Done, Duration> {
        let Inner {
            store,
            failures,
            meters,
            purse,
            ..
        } = &*self.inner;
        if !matches!(
            failure,
            Failure::Wait(_) | Failure::Later | Failure::Unknown
        ) {
            failures.answered();
        }
        match failure {
            Failure::Wait(delay) => Err(delay),
            Failure::Later => {
                line::failed(lane, item);
                Err(failures.failed(lane))
            }
            Failure::Unknown => {
                line::unknown(lane, item);
                meters.ambiguous.increment(1);
                Err(failures.failed(lane))
            }
            Failure::Flooded(delay) => {
                let pause = failures.flooded(lane, delay, began);
                meters.told_to_wait(delay, pause.is_some());
                if let Some(pause) = pause {
                    tracing::warn!(
                        ?pause,
                        "Telegram tells several chats to wait: nothing is sent"
                    );
                    purse.freeze(pause).await.map_err(|_| delay)?;
                }
                // The chat has two lanes, and the other one may be worked elsewhere.
                store.hold(lane.chat, delay).await.map_err(|_| delay)?;
                Err(delay)
            }
            Failure::Blocked(reason) => {
                let refused = Refused {
                    ago: began.elapsed(),
                    update: answered(item),
                };
                let blocked = store.block(lane.chat, Some(refused)).await;
                if !blocked.map_err(|_| COME_BACK)? {
                    return Err(COME_BACK);
                }
                meters.blocked.increment(1);
                Ok(Done::Unwanted(self.letter(
                    lane,
                    item,
                    Why::Blocked,
                    &reason,
                )))
            }
            Failure::Moved(chat) => {
                failures.settled(lane);
                let noted = migration::note(&**store, lane.chat, chat).await;
                noted.map_err(|_| Duration::from_secs(1))?;
                self.move_to(lane, item, chat).await
            }
            Failure::Never(why, reason) => Ok(Done::Buried(self.letter(lane, item, why, &reason))),
        }
    }

    /// The group has become another chat: the effect goes there.
    async fn move_to(&self, lane: Lane, item: &Item, chat: i64) -> Result<Done, Duration> {
        let moved = match serde_json::from_slice(&item.body) {
            Ok(Effect::Send(message)) => Effect::Send(Box::new(Message { chat, ..*message })),
            Ok(Effect::Delete { name, .. }) => Effect::Delete { chat, name },
            Ok(Effect::Typing { topic, .. }) => Effect::Typing { chat, topic },
            _ => {
                return Ok(Done::Buried(self.letter(
                    lane,
                    item,
                    Why::Unreadable,
                    "the group is another chat now",
                )));
            }
        };
        let body = serde_json::to_vec(&moved).expect("an effect is plain data");
        let item = Item {
            id: moved_id(lane, &item.id, chat),
            body: body.into(),
        };
        let pushed = self.push(Lane { chat, ..lane }, &item).await;
        if pushed.map_err(|_| Duration::from_secs(1))? {
            return Ok(Done::Carried(None));
        }
        Ok(Done::Buried(self.letter(
            lane,
            &item,
            Why::Blocked,
            "the new chat does not want it",
        )))
    }

    /// Puts an effect into a lane, once however often it is called, and works that lane if nobody does. `false`: the chat does
    /// not want it.
    pub async fn push(&self, lane: Lane, item: &Item) -> store::Result<bool> {
        let (token, since) = (Token::fresh(), Instant::now());
        match self.inner.store.push(lane, token, item).await? {
            Pushed::Leased { wait } => {
                let head = Head {
                    item: item.clone(),
                    wait,
                };
                self.start(lane, Held { token, since }, head, Source::Push);
            }
            Pushed::Queued => {}
            Pushed::Blocked => return Ok(false),
        }
        Ok(true)
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
        let Inner {
            store, stopping, ..
        } = &*self.inner;
        loop {
            let noted = match &done {
                Done::Carried(note) => store.done(lane, token, &item.id, note.as_ref()).await,
                Done::Buried(letter) | Done::Unwanted(letter) => {
                    store.bury(lane, token, &item.id, letter.clone()).await
                }
            };
            if noted.is_ok() || stopping.is_cancelled() {
                return noted;
            }
            stopping
                .run_until_cancelled(tokio::time::sleep(NOTE_DELAY))
                .await;
        }
    }

    async fn give_back(&self, lane: Lane, token: Token, delay: Duration) {
        if let Err(error) = self.inner.store.retry(lane, token, delay).await {
            tracing::warn!(%lane, %error, "a lane could not be given back; its lease will run out");
        }
    }
}

/// What nobody can make sense of will never work.
pub(super) fn senseless(reason: &str) -> Failure {
    Failure::Never(Why::Unreadable, reason.to_owned())
}

/// The update that an effect answers; its id begins with it.
fn answered(item: &Item) -> Option<u32> {
    let (cause, _) = item.id.split_once('.')?;
    cause.parse().ok()
}

/// The id of an effect in the chat that its own became. That of a broadcast ends with the chat, as if it had been for the new one all
/// along: there it is told from the same broadcast to the new chat by nothing else.
fn moved_id(lane: Lane, id: &str, chat: i64) -> String {
    let broadcast = id.strip_suffix(&format!(":{}", lane.chat));
    match broadcast.filter(|_| lane.kind == LaneKind::Bulk) {
        Some(broadcast) => format!("{broadcast}:{chat}"),
        None => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_that_moves_is_the_one_to_the_new_chat() {
        let lane = |kind| Lane { kind, chat: -5 };
        assert_eq!(
            moved_id(lane(LaneKind::Bulk), "b:may:-5", -100),
            "b:may:-100"
        );
        assert_eq!(
            moved_id(lane(LaneKind::Messages), "7.1.0:-5", -100),
            "7.1.0:-5"
        );
    }

    #[test]
    fn an_effect_tells_which_update_it_answers() {
        let of = |id: &str| {
            answered(&Item {
                id: id.to_owned(),
                body: Bytes::new(),
            })
        };
        assert_eq!(of("700000001.1800000000.0"), Some(700_000_001));
        assert_eq!(of("1800000000123.5:5.0"), None, "a timer");
        assert_eq!(of("b:may-1.2:5"), None, "a broadcast");
    }
}
