//! How the bot is, and how far its clock is ahead.

use std::net::SocketAddr;

use serde::Serialize;

use crate::emulator::Millis;

/// How the bot is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// There is a process.
    pub running: bool,
    /// It takes updates.
    pub ready: bool,
    /// The process.
    pub pid: Option<u32>,
    /// How often it was started.
    pub starts: u64,
    /// How often it was killed on purpose.
    pub kills: u64,
    /// How the one before this ended, in the system's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// When it was started last.
    pub since: Millis,
    /// Of the bot.
    pub version: &'static str,
    /// Where it keeps its dialogues.
    pub store: &'static str,
    /// What is wrong with it, if it ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Where its operations listen.
    #[serde(skip)]
    pub(super) ops: Option<SocketAddr>,
    /// It was told who has which role.
    #[serde(skip)]
    pub(super) introduced: bool,
    /// How far its clock is known to be ahead.
    #[serde(skip)]
    pub(super) ahead: Millis,
    /// How far it may be ahead: it is being told, or was when it died.
    #[serde(skip)]
    told: Millis,
}

impl Status {
    /// Not started yet; its clock is to be so far ahead.
    pub(super) fn new(version: &'static str, ahead: Millis) -> Self {
        Self {
            running: false,
            ready: false,
            pid: None,
            starts: 0,
            kills: 0,
            ended: None,
            since: 0,
            version,
            store: "embedded",
            trouble: None,
            ops: None,
            introduced: false,
            ahead,
            told: ahead,
        }
    }

    /// Another is started, whose clock is ahead as far as that of the one before may have been: it must never go back. It is not
    /// started further ahead, where that one was not told, since what is due would seem to have fallen into an outage.
    pub(super) fn begin(&mut self, now: Millis) {
        self.starts += 1;
        self.since = now;
        self.ahead = self.ahead.max(self.told);
    }

    /// It is being told that the clock is so far ahead.
    pub(super) fn tell(&mut self, ahead: Millis) {
        self.told = ahead;
    }

    /// The process of this start was not there to be told.
    pub(super) fn miss(&mut self, starts: u64) {
        if self.starts == starts {
            self.told = self.ahead;
        }
    }

    /// The process of this start has been told that the clock is so far ahead. Where another was started meanwhile, that one has not:
    /// it knows the time it was started with.
    pub(super) fn follow(&mut self, starts: u64, ahead: Millis) {
        if self.starts == starts {
            self.ahead = ahead;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It moved its clock, and was killed before anybody heard that it had.
    #[test]
    fn one_that_follows_another_is_never_started_with_an_earlier_time() {
        let mut status = Status::new("1.0.0", 5);
        status.begin(0);
        status.tell(900);
        assert_eq!(status.ahead, 5, "nobody knows yet");
        status.begin(0);
        assert_eq!(status.ahead, 900);
    }

    #[test]
    fn one_that_follows_another_who_was_not_there_to_be_told_is_told_later() {
        let mut status = Status::new("1.0.0", 5);
        status.begin(0);
        status.tell(900);
        status.miss(1);
        status.begin(0);
        assert_eq!(status.ahead, 5);
        status.tell(900);
        status.miss(1);
        status.begin(0);
        assert_eq!(status.ahead, 900, "that was another");
    }

    #[test]
    fn what_the_last_one_was_told_the_next_one_does_not_know() {
        let mut status = Status::new("1.0.0", 5);
        status.starts = 2;
        status.follow(1, 900);
        assert_eq!(status.ahead, 5);
        status.follow(2, 900);
        assert_eq!(status.ahead, 900);
    }
}
