//! One bot in one round: what was said, and what it cost.

use std::time::Duration;

use super::contender::Contender;
use super::crowd::{Crowd, Talk};

/// One bot in one round.
#[derive(Debug)]
pub struct Round {
    talk: Talk,
    /// Processor time of the bot, and of its Redis.
    cpu: (Duration, Duration),
}

impl Round {
    /// Lets the crowd talk to the bot for a while.
    pub async fn of(bot: &Contender, crowd: &Crowd, time: Duration) -> Self {
        let before = bot.cpu();
        let talk = crowd.talk(bot.door, time).await;
        let after = bot.cpu();
        Self { talk, cpu: (after.0 - before.0, after.1 - before.1) }
    }

    /// What was said in all of these.
    pub fn talk_of(rounds: &[Self]) -> Talk {
        Talk::all(rounds.iter().map(|round| &round.talk))
    }

    /// Updates per second of the clock.
    pub fn per_second(&self) -> f64 {
        self.talk.updates as f64 / self.talk.time.as_secs_f64()
    }

    /// Updates per second of processor time, the bot's and its Redis's together.
    pub fn per_cpu_second(&self) -> f64 {
        self.talk.updates as f64 / (self.cpu.0 + self.cpu.1).as_secs_f64()
    }

    /// Microseconds of the bot's processor time per update.
    pub fn bot_micros(&self) -> f64 {
        self.micros(self.cpu.0)
    }

    /// Microseconds of its Redis's processor time per update.
    pub fn redis_micros(&self) -> f64 {
        self.micros(self.cpu.1)
    }

    fn micros(&self, cpu: Duration) -> f64 {
        cpu.as_secs_f64() * 1e6 / self.talk.updates as f64
    }
}
