//! Limits as windows: so many within so long, of the bot or of a chat.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Call, Outcome};

/// So many sendings within so long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) scope: Scope,
    pub(crate) most: usize,
    pub(crate) within: Duration,
}

/// What a limit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    Bot,
    Chat,
    Group,
}

impl Limit {
    /// Of the whole bot, within a second.
    pub(crate) fn bot(most: usize) -> Self {
        Self {
            scope: Scope::Bot,
            most,
            within: Duration::from_secs(1),
        }
    }

    /// Of each chat.
    pub(crate) fn chat(most: usize, within: Duration) -> Self {
        Self {
            scope: Scope::Chat,
            most,
            within,
        }
    }

    /// Of each group.
    pub(crate) fn group(most: usize, within: Duration) -> Self {
        Self {
            scope: Scope::Group,
            most,
            within,
        }
    }

    /// What a call to this chat is counted under, if at all.
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
    limits: Vec<Limit>,
    sent: HashMap<(usize, i64), VecDeque<Instant>>,
}

impl Meter {
    pub(super) fn new(limits: impl IntoIterator<Item = Limit>) -> Self {
        Self {
            limits: limits.into_iter().collect(),
            sent: HashMap::new(),
        }
    }

    /// Counts a sending; where it is one too many, answers after how many seconds to come again and does not count it.
    pub(super) fn over(&mut self, call: &Call) -> Option<u64> {
        if !call.is_sending() {
            return None;
        }
        let places = self.limits.iter().enumerate();
        let places: Vec<_> = places
            .filter_map(|(at, limit)| Some((*limit, (at, limit.place(call.chat())?))))
            .collect();
        let mut wait = None;
        for (limit, place) in &places {
            let sent = self.sent.entry(*place).or_default();
            sent.retain(|at| call.at.duration_since(*at) < limit.within);
            if sent.len() >= limit.most {
                let left = limit.within - call.at.duration_since(sent[0]);
                wait = wait.max(Some(left.as_secs() + 1));
            }
        }
        if wait.is_none() {
            for (_, place) in places {
                self.sent.entry(place).or_default().push_back(call.at);
            }
        }
        wait
    }
}

pub(super) fn too_many(seconds: u64) -> Outcome {
    let description = format!("Too Many Requests: retry after {seconds}");
    Outcome::Refused(429, description, json!({ "retry_after": seconds }))
}

/// The most of these calls that came within any span of this length.
pub(crate) fn most_within<'a>(calls: impl IntoIterator<Item = &'a Call>, span: Duration) -> usize {
    let mut times: Vec<Instant> = calls.into_iter().map(|call| call.at).collect();
    times.sort();
    let (mut first, mut most) = (0, 0);
    for (last, at) in times.iter().enumerate() {
        while at.duration_since(times[first]) >= span {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}
