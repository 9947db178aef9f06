//! How far a broadcast is: a bar where somebody watches, else a line now and then.

use std::collections::HashSet;
use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How often a line is written where nobody watches.
const LINE_EVERY: Duration = Duration::from_secs(2);
/// How many characters the bar has.
const WIDTH: usize = 24;

/// Who has been reached so far. A page may name somebody whom another named before.
#[derive(Debug)]
pub(super) struct Progress {
    queued: HashSet<i64>,
    blocked: HashSet<i64>,
    total: usize,
    started: Instant,
    shown: Option<Instant>,
    is_watched: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            queued: HashSet::new(),
            blocked: HashSet::new(),
            total: 0,
            started: Instant::now(),
            shown: None,
            is_watched: stdout().is_terminal(),
        }
    }

    /// Takes in what a page has come to, and shows it.
    pub(super) fn note(&mut self, page: &Value) {
        let chats = |name: &str| page[name].as_array().into_iter().flatten();
        self.queued.extend(chats("queued").filter_map(Value::as_i64));
        self.blocked.extend(chats("blocked").filter_map(Value::as_i64));
        if let Some(total) = page["total"].as_u64() {
            self.total = total as usize;
        }
        let is_time = self.shown.is_none_or(|at| at.elapsed() >= LINE_EVERY);
        if self.is_watched {
            self.write(&format!("\r{}\x1b[K", self.line(self.started.elapsed())));
        } else if is_time {
            self.write(&format!("{}\n", self.line(self.started.elapsed())));
        }
    }

    /// Says what it has come to, on a line of its own.
    pub(super) fn end(&mut self) {
        let above = if self.is_watched { "\n" } else { "" };
        let (queued, blocked) = (self.queued.len(), self.blocked.len());
        self.write(&format!("{above}{queued} queued, {blocked} have blocked the bot\n"));
    }

    /// Whether anybody reads it does not matter to the broadcast.
    fn write(&mut self, text: &str) {
        let mut out = stdout();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        self.shown = Some(Instant::now());
    }

    /// The bar, the count, the rate, and how long it will take.
    fn line(&self, elapsed: Duration) -> String {
        let done = self.queued.len() + self.blocked.len();
        let total = self.total.max(done);
        let full = WIDTH * done / total.max(1);
        let bar = "#".repeat(full) + &"-".repeat(WIDTH - full);
        let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
        let left = (total - done) as f64 / rate.max(0.001);
        format!("[{bar}] {done}/{total}  {rate:.0}/s  {} left", span(left))
    }
}

/// A time to wait, in the two units that matter.
fn span(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_line_tells_count_rate_and_time() {
        let mut progress = Progress::new();
        progress.note(&json!({ "queued": [1, 2], "blocked": [3], "total": 12 }));
        progress.note(&json!({ "queued": [2], "blocked": [], "total": 12 }));
        assert_eq!(
            progress.line(Duration::from_secs(1)),
            "[######------------------] 3/12  3/s  3s left"
        );
    }

    #[test]
    fn an_estimate_that_was_too_low_or_nothing_at_all_is_no_error() {
        let mut progress = Progress::new();
        progress.note(&json!({ "queued": [], "blocked": [], "total": 0 }));
        assert!(progress.line(Duration::ZERO).contains(" 0/0 "));
        progress.note(&json!({ "queued": [1, 2], "blocked": [], "total": 1 }));
        assert!(progress.line(Duration::from_secs(1)).contains(" 2/2 "));
    }

    #[test]
    fn times_are_told_in_units_that_matter() {
        assert_eq!([0.2, 77.0, 7260.0].map(span), ["1s", "1m17s", "2h01m"].map(str::to_owned));
    }
}
