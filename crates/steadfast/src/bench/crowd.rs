//! People who lead their dialogues: each does the next thing when the last was replied to, and after a pause.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::tally::Tally;
use super::telegram::Somebody;
use crate::bot::playground::ScriptStep;

/// How long a reply is waited for before the update counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);
/// What people do before anything else, and after something was lost: nothing is under way then.
const FRESH: ScriptStep = ScriptStep::types("/cancel", "");

/// How people behave.
#[derive(Debug, Clone)]
pub struct Plan {
    /// For how long.
    pub time: Duration,
    /// How long a person thinks between a reply and the next thing, on average.
    pub pause: Duration,
    /// Scripts that the users run in turn; at least one.
    pub scripts: Vec<&'static [ScriptStep]>,
}

/// Lets everybody lead dialogues until the time is over; whoever waits for a reply then still gets it.
pub async fn talk(people: Vec<Somebody>, plan: Plan, tally: &Tally) {
    let until = Instant::now() + plan.time;
    let tally = Arc::new(tally.clone());
    let plan = Arc::new(plan);
    let mut talks = JoinSet::new();
    for (place, somebody) in people.into_iter().enumerate() {
        let talk = Talk { somebody, tally: Arc::clone(&tally), plan: Arc::clone(&plan), until };
        talks.spawn(talk.lead(place));
    }
    talks.join_all().await;
}

/// One of them.
struct Talk {
    somebody: Somebody,
    tally: Arc<Tally>,
    plan: Arc<Plan>,
    until: Instant,
}

impl Talk {
    /// Plays one script after the other, each person beginning with another one.
    async fn lead(mut self, place: usize) {
        let plan = Arc::clone(&self.plan);
        let mut scripts = plan.scripts.iter().cycle().skip(place % plan.scripts.len());
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
    async fn play(&mut self, script: &[ScriptStep]) -> Option<()> {
        for step in script {
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
        let pause = (self.plan.pause * 2).mul_f64(rand::random_range(0.0..=1.0));
        let left = self.until.saturating_duration_since(Instant::now());
        tokio::time::sleep(pause.min(left)).await;
    }

    /// Does something, and waits for the reply.
    async fn take(&mut self, step: &ScriptStep) -> Option<()> {
        self.somebody.clear();
        let start = Instant::now();
        if let Err(cannot) = self.somebody.does(step.action) {
            self.tally.lost(format!("{:?}: {cannot}", step.action));
            return None;
        }
        let heard = tokio::time::timeout(PATIENCE, self.somebody.hears(step.reply)).await;
        let Ok(heard) = heard else {
            let ScriptStep { action, reply } = step;
            self.tally.lost(format!("nobody said `{reply}` to {action:?}"));
            return None;
        };
        self.tally.replied(heard.at.saturating_duration_since(start));
        Some(())
    }
}
