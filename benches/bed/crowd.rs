//! People who talk to a bot: so many at once, each sending the next update when the last was acknowledged and replied to.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::bot_api::BotApi;
use super::contender::{PATH, SECRET};
use super::update::{self, Sends};
use super::wire::Wire;

/// The id of the first person.
pub const FIRST: u64 = 700_000_000;
/// How long to wait for an answer or a reply before the update counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// The people.
#[derive(Debug, Clone)]
pub struct Crowd {
    /// Where their replies come.
    pub api: BotApi,
    /// How many there are.
    pub people: u64,
    /// How many of them talk at the same time, each over a connection of its own.
    pub at_once: u64,
    /// Update ids are never used twice.
    pub next_update: Arc<AtomicU32>,
}

/// What a while of talking came to.
#[derive(Debug)]
pub struct Talk {
    /// How many updates were acknowledged and replied to.
    pub updates: u64,
    /// How many were not.
    pub lost: u64,
    /// How long it took.
    pub time: Duration,
    /// Microseconds until the acknowledgement.
    pub acknowledged: Histogram<u64>,
    /// Microseconds until the reply reached the Bot API.
    pub replied: Histogram<u64>,
}

impl Crowd {
    /// Talks to the bot behind this door for a while.
    pub async fn talk(&self, door: SocketAddr, time: Duration) -> Talk {
        let start = Instant::now();
        let mut people = JoinSet::new();
        for place in 0..self.at_once {
            people.spawn(self.clone().visit(door, place, start + time));
        }
        let visits = people.join_all().await;
        Talk { time: start.elapsed(), ..Talk::all(&visits) }
    }

    /// One visitor after the other, at one of the places.
    async fn visit(self, door: SocketAddr, place: u64, until: Instant) -> Talk {
        let mut talk = Talk::new();
        let stream = TcpStream::connect(door).await.expect("the door is open");
        let mut wire = Wire::new(stream).expect("a fresh connection");
        while Instant::now() < until {
            let person =
                FIRST + place + self.at_once * rand::random_range(0..self.people / self.at_once);
            for sends in [Sends::End, Sends::Photo] {
                let sent =
                    tokio::time::timeout(PATIENCE, self.send(&mut wire, person, sends)).await;
                match sent {
                    Ok(Ok((acknowledged, replied))) => {
                        talk.updates += 1;
                        talk.acknowledged
                            .record(micros(acknowledged))
                            .expect("any time can be kept");
                        talk.replied.record(micros(replied)).expect("any time can be kept");
                    }
                    Ok(Err(_)) | Err(_) => talk.lost += 1,
                }
            }
        }
        talk
    }

    /// Sends one update; answers when it was acknowledged and when replied to.
    async fn send(
        &self,
        wire: &mut Wire,
        person: u64,
        sends: Sends,
    ) -> io::Result<(Duration, Duration)> {
        let id = self.next_update.fetch_add(1, Ordering::Relaxed);
        let request = update::request(PATH, SECRET, &update::body(id, person, sends));
        let reply = self.api.next_to(person);
        let start = Instant::now();
        wire.send(&request).await?;
        let answer = wire.next().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let acknowledged = start.elapsed();
        if answer.status() != 200 {
            return Err(io::Error::other("not acknowledged"));
        }
        let replied = reply.await.map_err(io::Error::other)?;
        Ok((acknowledged, replied - start))
    }
}

impl Talk {
    /// Several as one.
    pub fn all<'a>(talks: impl IntoIterator<Item = &'a Self>) -> Self {
        talks.into_iter().fold(Self::new(), |mut all, one| {
            all.add(one);
            all
        })
    }

    fn new() -> Self {
        let histogram = || Histogram::new(3).expect("three digits can be kept");
        Self {
            updates: 0,
            lost: 0,
            time: Duration::ZERO,
            acknowledged: histogram(),
            replied: histogram(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.updates += other.updates;
        self.lost += other.lost;
        self.time += other.time;
        let both =
            [(&mut self.acknowledged, &other.acknowledged), (&mut self.replied, &other.replied)];
        for (all, one) in both {
            all.add(one).expect("both are of one kind");
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
