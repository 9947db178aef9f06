//! What is counted of the outbox.

use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};

use crate::dialogue::Message;
use crate::letter::Tally;
use crate::store::Clock;

/// Where a lane came from: a label of the metric.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// A turn left it here.
    Commit,
    /// Its delay was over.
    Sweep,
    /// Its holder was gone.
    Takeover,
    /// It was handed over here.
    Push,
}

#[derive(Debug)]
pub(super) struct Meters {
    commit: Counter,
    sweep: Counter,
    takeover: Counter,
    push: Counter,
    pub(super) stale: Counter,
    pub(super) ambiguous: Counter,
    pub(super) blocked: Counter,
    delay: Histogram,
    /// What one chat was told to wait.
    chat_told: Histogram,
    /// What the whole bot was told to wait, or so it seems.
    bot_told: Histogram,
    chat_wait: Histogram,
    group_wait: Histogram,
    pub(super) letters: Tally,
}

impl Meters {
    pub(super) fn new() -> Self {
        let claims =
            |source: &'static str| counter!("steadfast_outbox_claims_total", "source" => source);
        Self {
            commit: claims(Source::Commit.word()),
            sweep: claims(Source::Sweep.word()),
            takeover: claims(Source::Takeover.word()),
            push: claims(Source::Push.word()),
            stale: counter!("steadfast_outbox_stale_token_total"),
            ambiguous: counter!("steadfast_outbox_ambiguous_total"),
            blocked: counter!("steadfast_outbox_blocked_total"),
            delay: histogram!("steadfast_reply_delay_seconds"),
            chat_told: histogram!("steadfast_telegram_retry_after_seconds", "scope" => "chat"),
            bot_told: histogram!("steadfast_telegram_retry_after_seconds", "scope" => "global"),
            chat_wait: histogram!("steadfast_ratelimit_wait_seconds", "scope" => "chat"),
            group_wait: histogram!("steadfast_ratelimit_wait_seconds", "scope" => "group"),
            letters: Tally::new(),
        }
    }

    /// Somebody has the first answer to what they did, whoever sent it and however long it waited.
    pub(super) fn answered(&self, message: &Message) {
        if let Some(received) = message.received {
            let waited = Clock::system().now().saturating_sub(received);
            self.delay.record(Duration::from_millis(waited));
        }
    }

    /// Telegram told a chat to wait so long, or the whole bot.
    pub(super) fn told_to_wait(&self, delay: Duration, is_global: bool) {
        let told = if is_global { &self.bot_told } else { &self.chat_told };
        told.record(delay);
    }

    /// A message waits so long for the pace of its chat, or for what the chat was told.
    pub(super) fn waits(&self, chat: i64, wait: Duration) {
        let waits = if chat < 0 { &self.group_wait } else { &self.chat_wait };
        waits.record(wait);
    }

    pub(super) fn claimed(&self, source: Source) {
        let counter = match source {
            Source::Commit => &self.commit,
            Source::Sweep => &self.sweep,
            Source::Takeover => &self.takeover,
            Source::Push => &self.push,
        };
        counter.increment(1);
    }
}

impl Source {
    /// The word in logs.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Sweep => "sweep",
            Self::Takeover => "takeover",
            Self::Push => "push",
        }
    }
}
