//! Limits as windows: so many messages within so long, of the bot, of a chat, of a group.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::clock::{Millis, millis};

/// So many messages within so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Of what.
    pub scope: Scope,
    /// How many.
    pub most: usize,
    /// Within how long.
    pub within: Duration,
}

/// What a limit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The bot as a whole.
    Bot,
    /// Each chat.
    Chat,
    /// Each group.
    Group,
}

impl Limit {
    /// Of the whole bot, within a second.
    pub fn bot(most: usize) -> Self {
        Self::new(Scope::Bot, most, Duration::from_secs(1))
    }

    /// Of each chat.
    pub fn chat(most: usize, within: Duration) -> Self {
        Self::new(Scope::Chat, most, within)
    }

    /// Of each group.
    pub fn group(most: usize, within: Duration) -> Self {
        Self::new(Scope::Group, most, within)
    }

    fn new(scope: Scope, most: usize, within: Duration) -> Self {
        Self { scope, most, within }
    }

    /// Those that Telegram tells of: 30 a second in all, 20 a minute in a group, and one a second in a chat, of which a few may
    /// come together.
    pub fn usual() -> [Self; 3] {
        let minute = Duration::from_secs(60);
        [Self::bot(30), Self::group(20, minute), Self::chat(3, Duration::from_secs(3))]
    }

    /// Reads `20/m`, `30/s` or `3/3s`.
    pub(super) fn read(scope: Scope, text: &str) -> Option<Self> {
        let (most, within) = text.split_once('/')?;
        let within = match within {
            "s" | "m" | "h" => super::span::read(&format!("1{within}"))?,
            other => super::span::read(other)?,
        };
        Some(Self::new(scope, most.trim().parse().ok()?, within))
    }

    /// What a message to this chat is counted under, if at all.
    fn place(&self, chat: i64) -> Option<i64> {
        match self.scope {
            Scope::Bot => Some(0),
            Scope::Chat => Some(chat),
            Scope::Group => (chat < 0).then_some(chat),
        }
    }
}

/// What was sent lately.
#[derive(Debug, Default)]
pub(super) struct Meter {
    pub(super) limits: Vec<Limit>,
    sent: HashMap<(usize, i64), VecDeque<Millis>>,
}

impl Meter {
    pub(super) fn new(limits: impl IntoIterator<Item = Limit>) -> Self {
        Self { limits: limits.into_iter().collect(), sent: HashMap::new() }
    }

    /// After how many seconds another message may come, if not now.
    pub(super) fn wait(&mut self, chat: i64, now: Millis) -> Option<u64> {
        let mut wait = None;
        for (limit, place) in self.places(chat) {
            let sent = self.sent.entry(place).or_default();
            sent.retain(|at| now.saturating_sub(*at) < millis(limit.within));
            // When that one is too old to count, there is room for one more.
            if let Some(at) = sent.len().checked_sub(limit.most) {
                let first = sent.get(at).copied().unwrap_or(now);
                let left = (first + millis(limit.within)).saturating_sub(now);
                wait = wait.max(Some(left.div_ceil(1000).max(1)));
            }
        }
        wait
    }

    /// Counts so many messages.
    pub(super) fn count(&mut self, chat: i64, messages: usize, now: Millis) {
        for (_, place) in self.places(chat) {
            let sent = self.sent.entry(place).or_default();
            sent.extend(std::iter::repeat_n(now, messages));
        }
    }

    /// What a message to this chat is counted under.
    fn places(&self, chat: i64) -> Vec<(Limit, (usize, i64))> {
        let limits = self.limits.iter().enumerate();
        limits.filter_map(|(at, limit)| Some((*limit, (at, limit.place(chat)?)))).collect()
    }
}
