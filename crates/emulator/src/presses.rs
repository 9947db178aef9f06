//! Presses of buttons, which the bot is to answer in time.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clock::Millis;

/// How many are remembered.
const REMEMBERED: usize = 5_000;

/// A press and its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Press {
    pub(super) user: i64,
    pub(super) at: Millis,
    pub(super) answer: Option<Answer>,
}

/// What the bot answers to a press.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) text: Option<String>,
    pub(super) show_alert: bool,
    pub(super) url: Option<String>,
}

/// All presses.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Presses {
    last: u64,
    known: BTreeMap<u64, Press>,
    /// Those that were touched since they were last written down.
    #[serde(skip)]
    touched: BTreeSet<u64>,
}

impl Presses {
    /// Somebody presses; answers the id of it.
    pub(super) fn add(&mut self, user: i64, at: Millis) -> String {
        self.last = self.last.max(21_474_836_480_000_000) + 1;
        let press = Press { user, at, answer: None };
        self.known.insert(self.last, press);
        self.touched.insert(self.last);
        if self.known.len() > REMEMBERED {
            self.known.pop_first();
        }
        self.last.to_string()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Press> {
        self.known.get(&id.parse().ok()?)
    }

    /// The bot answers; nothing if it is too late, the second answer, or no press at all.
    pub(super) fn answer(
        &mut self,
        id: &str,
        answer: Answer,
        now: Millis,
        within: Millis,
    ) -> Option<&Press> {
        let id = id.parse().ok()?;
        let press = self.known.get_mut(&id)?;
        let is_late = now > press.at + within;
        if is_late || press.answer.is_some() {
            return None;
        }
        press.answer = Some(answer);
        self.touched.insert(id);
        Some(press)
    }

    /// What is new or other than when this was last asked.
    pub(super) fn news(&mut self) -> Self {
        let touched = std::mem::take(&mut self.touched).into_iter();
        let known = touched.filter_map(|id| Some((id, self.known.get(&id)?.clone())));
        Self { last: self.last, known: known.collect(), touched: BTreeSet::new() }
    }

    /// Takes that in.
    pub(super) fn learn(&mut self, news: Self) {
        self.known.extend(news.known);
        self.last = news.last;
    }

    pub(super) fn clear(&mut self) {
        self.known.clear();
    }
}

impl Press {
    /// As the control API shows it.
    pub(super) fn shown(&self) -> Value {
        let mut shown = json!({ "answered": self.answer.is_some() });
        if let Some(answer) = &self.answer {
            shown["show_alert"] = json!(answer.show_alert);
            shown["text"] = json!(answer.text);
            shown["url"] = json!(answer.url);
        }
        shown
    }
}
