//! People who lead their dialogues: each does the next thing when the last was replied to, and after a pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use axum::http::{Request, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::script::{Act, SCRIPTS, Script, Step};
use super::tally::Tally;
use super::telegram::{Ear, Heard};
use super::update;

/// How long an acknowledgement or a reply is waited for before the update counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long until a delivery that was not acknowledged is made again: what the bot asks for.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The header that carries the secret.
const SECRET: &str = "x-telegram-bot-api-secret-token";
/// What people do before anything else, and after something was lost: nothing is under way then.
const FRESH: Step = Step {
    does: Act::Types("/cancel"),
    hears: "",
};

/// How the crowd behaves.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where updates are posted to: the people are spread over these.
    pub doors: Vec<Uri>,
    /// What opens them.
    pub secret: SecretString,
    /// For how long.
    pub time: Duration,
    /// How long a person thinks between a reply and the next thing, on average.
    pub pause: Duration,
    /// Over how many connections at most, as in Telegram's `max_connections`.
    pub connections: usize,
}

/// The people.
#[derive(Debug, Clone)]
pub struct Crowd {
    plan: Arc<Plan>,
    client: Client<HttpConnector, Full<Bytes>>,
    connections: Arc<Semaphore>,
    next_update: Arc<AtomicU32>,
    tally: Tally,
}

impl Crowd {
    /// A crowd that behaves so. Update ids begin anywhere, so that another run has others.
    pub fn new(plan: Plan) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            connections: Arc::new(Semaphore::new(plan.connections)),
            next_update: Arc::new(AtomicU32::new(rand::random_range(1..1 << 30))),
            tally: Tally::default(),
            plan: Arc::new(plan),
        }
    }

    /// What it came to so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Lets everybody lead dialogues until the time is over; whoever waits for a reply then still gets it.
    pub async fn talk(&self, people: Vec<Ear>) {
        let until = Instant::now() + self.plan.time;
        let mut talks = JoinSet::new();
        for (place, ear) in people.into_iter().enumerate() {
            let talk = Talk {
                door: self.plan.doors[place % self.plan.doors.len()].clone(),
                crowd: self.clone(),
                last: Heard::default(),
                ear,
                until,
            };
            talks.spawn(talk.lead(place));
        }
        talks.join_all().await;
    }
}

/// One of them.
struct Talk {
    crowd: Crowd,
    door: Uri,
    ear: Ear,
    last: Heard,
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
        let most = self.crowd.plan.pause * 2;
        let pause = most.mul_f64(rand::random_range(0.0..=1.0));
        let left = self.until.saturating_duration_since(Instant::now());
        tokio::time::sleep(pause.min(left)).await;
    }

    /// Does something, and waits for the reply.
    async fn take(&mut self, step: &Step) -> Option<()> {
        let Crowd {
            tally, next_update, ..
        } = &self.crowd;
        self.ear.clear();
        let id = next_update.fetch_add(1, Ordering::Relaxed);
        let Some(body) = update::body(id, self.ear.id, step.does, &self.last) else {
            tally.lost(format!("there is no button for {:?}", step.does));
            return None;
        };
        let start = Instant::now();
        if !self.deliver(body.into(), start).await {
            tally.lost(format!("{:?} was not acknowledged", step.does));
            return None;
        }
        let Ok(heard) = tokio::time::timeout(PATIENCE, self.ear.hears(step.hears)).await else {
            tally.lost(format!("nobody said `{}` to {:?}", step.hears, step.does));
            return None;
        };
        let at = heard.at.unwrap_or(start);
        tally.replied(at.saturating_duration_since(start));
        self.last = heard;
        Some(())
    }

    /// Posts an update until it is acknowledged; `false` if that takes too long.
    async fn deliver(&self, body: Bytes, start: Instant) -> bool {
        let Crowd {
            connections, tally, ..
        } = &self.crowd;
        while start.elapsed() < PATIENCE {
            let connection = connections.acquire().await;
            let posted = Instant::now();
            let post = tokio::time::timeout(PATIENCE, self.post(body.clone()));
            if post.await.is_ok_and(|acknowledged| acknowledged) {
                tally.acknowledged(posted.elapsed());
                return true;
            }
            drop(connection);
            tally.again();
            tokio::time::sleep(RETRY_AFTER).await;
        }
        false
    }

    async fn post(&self, body: Bytes) -> bool {
        let Crowd { plan, client, .. } = &self.crowd;
        let request = Request::post(&self.door)
            .header(header::CONTENT_TYPE, "application/json")
            .header(SECRET, plan.secret.expose_secret())
            .body(Full::new(body));
        let Ok(request) = request else { return false };
        match client.request(request).await {
            // Read to its end, so that the connection can be used again.
            Ok(answer) => {
                answer.status().is_success() && answer.into_body().collect().await.is_ok()
            }
            Err(_) => false,
        }
    }
}
