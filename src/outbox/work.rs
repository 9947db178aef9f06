//! Works one lane, from its head until it is empty, must wait, or is someone else's.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::limits::NotNow;
use super::retry::Failure;
use super::{Held, Inner, Outbox, Source};
use crate::dialogue::{Effect, Message};
use crate::store::{self, After, Head, Item, Lane, LaneKind, Note, Pushed, Token};

/// The longest a lane is held while nothing may be sent; with a longer wait it is given back.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait before what was done is noted once more.
pub(super) const NOTE_DELAY: Duration = Duration::from_millis(250);

/// What became of an effect, to be noted in the store.
pub(super) enum Done {
    /// It was carried out; a message may have a name.
    Carried(Option<Note>),
    /// It was put aside.
    Buried(Bytes),
}

impl Outbox {
    pub(super) async fn work(
        &self,
        lane: Lane,
        token: Token,
        head: Head,
        mut received: Option<Instant>,
    ) {
        let mut next = Some(head);
        while let Some(Head { item, wait }) = next.take() {
            if let Err(delay) = self.ready(lane, wait).await {
                return self.give_back(lane, token, delay).await;
            }
            if !self.holds(lane, token).await {
                return;
            }
            let done = match self.carry_out(lane, token, &item).await {
                Ok(done) => done,
                Err(failure) => match self.judge(lane, &item, failure).await {
                    Ok(done) => done,
                    Err(delay) => return self.give_back(lane, token, delay).await,
                },
            };
            if let Some(received) = received.take() {
                self.inner.meters.delay.record(received.elapsed());
            }
            match self.note(lane, token, &item, done).await {
                Ok(After::Next(head)) => next = Some(head),
                Ok(After::Empty) => {}
                Ok(After::Stale) => self.inner.meters.stale.increment(1),
                // We stop, and the store is away. Who comes next will do it again.
                Err(error) => tracing::warn!(%lane, %error, "a lane waits for the store"),
            }
        }
    }

    /// Waits until the effect may be sent, or answers how long to leave it.
    async fn ready(&self, lane: Lane, wait: Duration) -> Result<(), Duration> {
        let Inner {
            stopping,
            failures,
            purse,
            ..
        } = &*self.inner;
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
        if lane.kind == LaneKind::Jobs {
            return Ok(());
        }
        failures.admit()?;
        let taken = stopping.run_until_cancelled(purse.take(lane.kind)).await;
        taken
            .unwrap_or(Err(NotNow(Duration::ZERO)))
            .map_err(|NotNow(wait)| wait)
    }

    async fn carry_out(&self, lane: Lane, token: Token, item: &Item) -> Result<Done, Failure> {
        let effect = serde_json::from_slice(&item.body)
            .map_err(|_| Failure::Never("an effect that this build cannot read".to_owned()))?;
        if lane.kind == LaneKind::Jobs {
            return self.job(lane, token, item, effect).await;
        }
        let note = match effect {
            Effect::Send(message) => self.send(&item.id, &message).await?,
            Effect::Delete { chat, name } => self.delete(chat, &name).await?,
            Effect::Typing { chat, topic } => {
                self.inner.sender.typing(chat, topic).await?;
                None
            }
            Effect::Record(_) => {
                return Err(Failure::Never("a record in a lane of messages".to_owned()));
            }
        };
        self.inner.failures.worked(lane);
        Ok(Done::Carried(note))
    }

    /// Sends a message, or changes the one of its name in place.
    async fn send(&self, id: &str, message: &Message) -> Result<Option<Note>, Failure> {
        let old = match &message.name {
            Some(name) if message.in_place => self.named(message.chat, name).await?,
            _ => None,
        };
        let sent = self.inner.sender.send(message, old).await?;
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

    async fn delete(&self, chat: i64, name: &str) -> Result<Option<Note>, Failure> {
        if let Some(message) = self.named(chat, name).await? {
            self.inner.sender.delete(chat, message).await?;
        }
        Ok(None)
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>, Failure> {
        self.inner
            .store
            .named(chat, name)
            .await
            .map_err(|_| Failure::Wait(Duration::from_secs(1)))
    }

    /// What a failure comes to: the effect is put aside, or handed on, or waits.
    async fn judge(&self, lane: Lane, item: &Item, failure: Failure) -> Result<Done, Duration> {
        let Inner {
            store,
            failures,
            meters,
            ..
        } = &*self.inner;
        if !matches!(
            failure,
            Failure::Wait(_) | Failure::Later | Failure::Unknown
        ) {
            failures.answered(lane);
        }
        match failure {
            Failure::Wait(delay) => Err(delay),
            Failure::Later => Err(failures.failed(lane)),
            Failure::Unknown => {
                meters.ambiguous.increment(1);
                Err(failures.failed(lane))
            }
            Failure::Flooded(delay) => {
                meters.retry_after.record(delay);
                if failures.flooded(lane) {
                    store.freeze(delay).await.map_err(|_| delay)?;
                }
                Err(delay)
            }
            Failure::Blocked(reason) => {
                meters.blocked.increment(1);
                store
                    .block(lane.chat)
                    .await
                    .map_err(|_| Duration::from_secs(1))?;
                Ok(Done::Buried(self.letter(lane, item, &reason)))
            }
            Failure::Moved(chat) => self.move_to(lane, item, chat).await,
            Failure::Never(reason) => Ok(Done::Buried(self.letter(lane, item, &reason))),
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
                    "the group is another chat now",
                )));
            }
        };
        let body = serde_json::to_vec(&moved).expect("an effect is plain data");
        let item = Item {
            id: item.id.clone(),
            body: body.into(),
        };
        let pushed = self.push(Lane { chat, ..lane }, &item).await;
        if pushed.map_err(|_| Duration::from_secs(1))? {
            return Ok(Done::Carried(None));
        }
        Ok(Done::Buried(self.letter(
            lane,
            &item,
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
                self.start(lane, Held { token, since }, head, Source::Push, None);
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
                Done::Buried(letter) => store.bury(lane, token, &item.id, letter.clone()).await,
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
