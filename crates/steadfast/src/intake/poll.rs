//! Long polling, for machines without a public address: one replica, by lease, asks for updates.
//!
//! Updates of one queue, as Telegram's webhooks know it (the messages of a chat, the presses of a person), are dealt with one by one and
//! others side by side. Only what is committed is confirmed: the offset is the lowest id that is not finished. A holder that was paused
//! beyond its lease finds that out before it asks again, takes nothing that came meanwhile, and leaves what it could not deal with to
//! the next. Whoever has the lease anew asks for everything that is not confirmed; what was dealt with is told apart by the seen marks.
//!
//! Telegram shows a hundred updates from the offset on, and nothing beyond them before the first is confirmed. So an update that cannot
//! be dealt with for long, such as one that waits for the database, hides all but the 99 behind it: there is no way to ask for those
//! without giving it up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use crate::intake::update::ALLOWED;
use crate::intake::webhook::{Answer, Webhook};
use crate::outbox::telegram::{CallError, Telegram};
use crate::store::{Store, Token};

mod hand;
mod outline;
mod tenure;

use hand::{Accepted, Finished, Hand, Waiting};
use outline::Outline;
use tenure::{LEASE, Tenure};

/// The name of the lease.
const NAME: &str = "poller";
/// How long Telegram holds a request while there is nothing.
const HOLD_SECS: u8 = 5;
/// How often the others look whether the lease is free.
const LOOK: Duration = Duration::from_secs(1);
/// How long to wait before an update that could not be dealt with is tried again, or Telegram asked again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long to leave Telegram alone when somebody else polls.
const CONFLICT: Duration = Duration::from_secs(5);
/// How many updates Telegram shows at once, at most.
const MOST: u8 = 100;
/// How long to wait, at most, before asking again while something is in hand and nothing new came. Telegram answers one who
/// asks the same within half a second with a single update.
const IN_HAND: Duration = Duration::from_millis(600);

/// Polls until told to stop, whenever this replica holds the lease; finishes what it has in hand.
pub async fn poll(
    hook: Arc<Webhook>,
    store: Arc<dyn Store>,
    telegram: Telegram,
    stop: CancellationToken,
) {
    let mut poller = Poller::new(hook, store, telegram, stop.clone());
    while !stop.is_cancelled() {
        let pause = match poller.hold().await {
            true => poller.pause(),
            false => LOOK,
        };
        if pause.is_zero() {
            poller.round().await;
        } else {
            stop.run_until_cancelled(tokio::time::sleep(pause)).await;
        }
    }
    poller.close().await;
}

struct Poller {
    hook: Arc<Webhook>,
    store: Arc<dyn Store>,
    telegram: Telegram,
    stop: CancellationToken,
    me: Token,
    /// The lease, while it is ours.
    tenure: Option<Tenure>,
    hand: Hand,
    /// When Telegram may be asked again. The lease is prolonged until then: whoever had it next would ask at once.
    asks_at: Instant,
}

#[derive(Serialize)]
struct GetUpdates {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i64>,
    limit: u8,
    timeout: u8,
    allowed_updates: [&'static str; ALLOWED.len()],
}

impl Poller {
    fn new(
        hook: Arc<Webhook>,
        store: Arc<dyn Store>,
        telegram: Telegram,
        stop: CancellationToken,
    ) -> Self {
        Self {
            hook,
            store,
            telegram,
            stop,
            me: Token::fresh(),
            tenure: None,
            hand: Hand::default(),
            asks_at: Instant::now(),
        }
    }

    /// Takes or prolongs the lease. The time is taken before asking, so that a pause counts against us.
    async fn hold(&mut self) -> bool {
        let asked = Instant::now();
        let held = matches!(self.store.lease(NAME, self.me, LEASE).await, Ok(Some(_)));
        if !held {
            self.let_go();
            return false;
        }
        if !self.tenure.as_ref().is_some_and(|tenure| tenure.renew(asked)) {
            self.let_go();
            tracing::info!("this replica polls for updates");
            self.tenure = Some(Tenure::new(asked));
        }
        asked.elapsed() < LEASE / 2
    }

    /// Somebody else may poll: what is not confirmed comes to them, or to us again.
    fn let_go(&mut self) {
        if let Some(tenure) = self.tenure.take() {
            tenure.end();
        }
        self.hand.let_go();
    }

    /// Whether the lease is ours for all we know.
    fn is_holder(&self) -> bool {
        self.tenure.as_ref().is_some_and(|tenure| !tenure.is_over())
    }

    /// Asks once, and deals with what comes.
    async fn round(&mut self) {
        let request = self.question(HOLD_SECS);
        let telegram = self.telegram.clone();
        let asked = telegram.ask("getUpdates", &request);
        let answer = self.stop.clone().run_until_cancelled(asked).await;
        if !self.is_holder() {
            // It was asked in another time: what came belongs to whoever has the lease now.
            return;
        }
        match answer {
            Some(Ok(answer)) => match answer.result() {
                Some(updates) => self.take(updates).await,
                None => self.trouble(&CallError::Ambiguous("no updates in it")).await,
            },
            Some(Err(error)) => self.trouble(&error).await,
            None => {}
        }
    }

    /// Asks for what is not confirmed, and confirms the rest.
    fn question(&self, timeout: u8) -> GetUpdates {
        GetUpdates { offset: self.hand.offset(), limit: MOST, timeout, allowed_updates: ALLOWED }
    }

    async fn take(&mut self, updates: Vec<Box<RawValue>>) {
        let mut is_new = false;
        for update in updates {
            is_new |= self.accept(Bytes::from(update.get().to_owned()));
        }
        // Only what is in hand already came back, and would at once again.
        if !is_new && !self.hand.is_empty() {
            self.finish_one().await;
        }
    }

    /// Takes an update in hand, behind those of its queue. `false`: it was there already.
    fn accept(&mut self, body: Bytes) -> bool {
        let Outline { update_id, queue } = Outline::read(&body);
        let update = Waiting { id: update_id, body };
        match self.hand.accept(update, &queue) {
            Accepted::Known => false,
            Accepted::Waits => true,
            Accepted::Next(update) => {
                self.deal_with(queue, update);
                true
            }
        }
    }

    /// Deals with an update until that works, we stop, or the lease may be someone else's: then it is theirs.
    fn deal_with(&mut self, queue: String, update: Waiting) {
        let Waiting { id, body } = update;
        let (hook, telegram, stop) =
            (Arc::clone(&self.hook), self.telegram.clone(), self.stop.clone());
        let tenure = self.tenure.clone();
        let is_over = move || tenure.as_ref().is_none_or(Tenure::is_over);
        self.hand.tasks.spawn(async move {
            loop {
                // In a task of its own, so that a panic ends there and the update comes again.
                let (work, body) = (Arc::clone(&hook), body.clone());
                let answer = tokio::spawn(async move { work.take(body).await }).await;
                if let Some((callback, text)) = answer.as_ref().ok().and_then(Answer::callback) {
                    answer_callback(&telegram, callback, text);
                }
                let is_done = answer.is_ok_and(|answer| answer.is_done());
                let stopped =
                    !is_done && stop.run_until_cancelled(tokio::time::sleep(AGAIN)).await.is_none();
                if is_done || stopped || is_over() {
                    break Finished { queue, id, is_done };
                }
            }
        });
    }

    /// Takes note of what is finished.
    fn finish_some(&mut self) {
        while let Some(finished) = self.hand.tasks.try_join_next() {
            self.finish(finished);
        }
    }

    /// Waits a moment for something to be finished.
    async fn finish_one(&mut self) {
        let finished = tokio::time::timeout(IN_HAND, self.hand.tasks.join_next()).await;
        if let Ok(Some(finished)) = finished {
            self.finish(finished);
        }
    }

    /// Goes on with the next of the queue, as long as that is ours to do. Telegram shows it again to whoever polls then.
    fn finish(&mut self, finished: Result<Finished, JoinError>) {
        let Ok(Finished { queue, id, is_done }) = finished else {
            return;
        };
        if is_done {
            self.hand.finish(id);
        }
        let goes_on = self.is_holder() && !self.stop.is_cancelled();
        if let Some(update) = self.hand.next(&queue, goes_on) {
            self.deal_with(queue, update);
        }
    }

    async fn trouble(&mut self, error: &CallError) {
        let pause = match error {
            CallError::Permanent { code: 409, description }
                if description.contains("webhook is active") =>
            {
                tracing::warn!(
                    "a webhook is registered, and updates are polled for: it is deleted"
                );
                let deleted = self.telegram.ask("deleteWebhook", &serde_json::json!({})).await;
                if deleted.is_ok() { Duration::ZERO } else { AGAIN }
            }
            CallError::Permanent { code: 409, .. } => CONFLICT,
            CallError::RetryAfter(delay) => *delay,
            _ => AGAIN,
        };
        tracing::warn!(%error, "no updates could be got");
        self.asks_at = Instant::now() + pause;
    }

    /// How long Telegram is still to be left alone, before the lease is prolonged once more. What is finished meanwhile is followed
    /// by the next.
    fn pause(&mut self) -> Duration {
        self.finish_some();
        let left = self.asks_at.saturating_duration_since(Instant::now());
        left.min(LOOK)
    }

    /// Finishes what is being dealt with, confirms it, and lets another replica go on.
    async fn close(mut self) {
        while let Some(finished) = self.hand.tasks.join_next().await {
            if let Ok(Finished { id, is_done: true, .. }) = finished {
                self.hand.finish(id);
            }
        }
        if self.hold().await {
            let request = self.question(0);
            // Best effort: what is not confirmed comes again, and is known.
            let _ = self.telegram.ask("getUpdates", &request).await;
        }
        if let Err(error) = self.store.release(NAME, self.me).await {
            tracing::debug!(%error, "the lease on polling will run out");
        }
    }
}

/// Answers a press, beside everything else: what follows in its queue does not wait for it.
fn answer_callback(telegram: &Telegram, id: &str, text: &str) {
    let telegram = telegram.clone();
    let payload = serde_json::json!({ "callback_query_id": id, "text": text });
    // Best effort: a press that is not answered only shows its little clock for longer.
    tokio::spawn(async move { telegram.ask("answerCallbackQuery", &payload).await });
}
