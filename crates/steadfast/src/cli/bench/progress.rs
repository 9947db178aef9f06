//! How far a run is: a bar where somebody watches, else nothing.

use std::convert::Infallible;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

use crate::bench::Tally;

/// How often it is drawn.
const EVERY: Duration = Duration::from_millis(250);
/// How many characters the bar has.
const WIDTH: usize = 24;

/// Draws the bar until the run is over.
pub(super) async fn show(tally: &Tally, time: Duration) -> Infallible {
    let (start, mut before) = (Instant::now(), 0);
    let mut tick = tokio::time::interval(EVERY);
    loop {
        tick.tick().await;
        if !stderr().is_terminal() {
            continue;
        }
        let (updates, lost) = tally.so_far();
        let rate = (updates - before) as f64 / EVERY.as_secs_f64();
        before = updates;
        eprint!("\r{}\x1b[K", line(start.elapsed(), time, updates, rate, lost));
    }
}

/// Takes the bar away.
pub(super) fn clear() {
    let mut bar = stderr();
    if bar.is_terminal() {
        // Whether anybody reads it does not matter.
        let _ = write!(bar, "\r\x1b[K");
    }
}

fn line(elapsed: Duration, time: Duration, updates: u64, rate: f64, lost: u64) -> String {
    let part = (elapsed.as_secs_f64() / time.as_secs_f64().max(0.001)).min(1.0);
    let full = (WIDTH as f64 * part) as usize;
    let bar = "#".repeat(full) + &"-".repeat(WIDTH - full);
    let seconds = elapsed.min(time).as_secs();
    format!("[{bar}] {seconds}/{} s  {updates} updates  {rate:.0}/s  {lost} lost", time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_follows_the_clock() {
        let second = Duration::from_secs(1);
        assert_eq!(
            line(second * 5, second * 10, 4200, 840.0, 0),
            "[############------------] 5/10 s  4200 updates  840/s  0 lost"
        );
        assert!(line(second * 12, second * 10, 1, 0.0, 1).contains("10/10 s"));
    }
}
