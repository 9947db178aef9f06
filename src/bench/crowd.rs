//! People who lead their dialogues: each does the next thing when the last was replied to, and after a pause.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::script::{Act, SCRIPTS, Script, Step};
use super::tally::Tally;
use super::telegram::Somebody;

/// How long a reply is waited for before the update counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);
/// What people do before anything else, and after something was lost: nothing is under way then.
const FRESH: Step = Step { does: Act::Types("/cancel"), hears: "" };

/// How people behave.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// For how long.
    pub time: Duration,
    /// How long a person thinks between a reply and the next thing, on average.
    pub pause: Duration,
}

/// Lets everybody lead dialogues until the time is over; whoever waits for a reply then still gets it.
pub async fn talk(people: Vec<Somebody>, plan: Plan, tally: &Tally) {
    let until = Instant::now() + plan.time;
    let tally = Arc::new(tally.clone());
    let mut talks = JoinSet::new();
    for (place, somebody) in people.into_iter().enumerate() {
        let talk = Talk { somebody, tally: Arc::clone(&tally), pause: plan.pause, until };
        talks.spawn(talk.lead(place));
    }
    talks.join_all().await;
}

/// One of them.
struct Talk {
    somebody: Somebody,
    tally: Arc<Tally>,
    pause: Duration,
    until: Instant,
}

impl Talk {
    /// Plays one script after the other, each person beginning with another one.
    async fn lead(mut self, place: usize) {
        let mut scripts = SCRIPTS.iter().cycle().skip(place % SCRIPTS.len());
        let mut is_fresh = false;
        while let Some(script) = scripts.next().filter(|_| Instant::now() < self.until) {
            if !is_fresh {
                self.think().await;
                is_fresh = self.take(&FRESH).await.is_some();
                continue;
            }
            is_fresh = self.play(script).await.is_some();
        }
    }

    /// None: something was lost.
    async fn play(&mut self, script: &Script) -> Option<()> {
        for step in script.steps {
            self.think().await;
            if Instant::now() >= self.until {
                break;
            }
            self.take(step).await?;
        }
        Some(())
    }

    /// Any time between none and twice the pause, so that people do not march in step.
    async fn think(&self) {
        let pause = (self.pause * 2).mul_f64(rand::random_range(0.0..=1.0));
        let left = self.until.saturating_duration_since(Instant::now());
        tokio::time::sleep(pause.min(left)).await;
    }

    /// Does something, and waits for the reply.
    async fn take(&mut self, step: &Step) -> Option<()> {
        self.somebody.clear();
        let start = Instant::now();
        if let Err(cannot) = self.somebody.does(step.does) {
            self.tally.lost(format!("{:?}: {cannot}", step.does));
            return None;
        }
        let heard = tokio::time::timeout(PATIENCE, self.somebody.hears(step.hears)).await;
        let Ok(heard) = heard else {
            let Step { does, hears } = step;
            self.tally.lost(format!("nobody said `{hears}` to {does:?}"));
            return None;
        };
        self.tally.replied(heard.at.saturating_duration_since(start));
        Some(())
    }
}
