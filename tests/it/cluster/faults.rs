//! What is done to the cluster, and what stood half done at that moment.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

use steadfast::emulator::Millis;
use steadfast::store::LANE_LEASE;
use tokio::time::sleep;

use super::bed::{Bed, REPLICAS};
use super::telegram::says;

/// For longer than a lane belongs to anybody.
const FROZEN: Duration = LANE_LEASE.saturating_add(Duration::from_secs(2));
/// How long those who are alive may take for a message that is in their hand.
const IN_HAND: Duration = Duration::from_secs(3);
/// How long everything is left alone between two faults.
const CALM_MS: (u64, u64) = (300, 1500);

/// Something that is done to the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A replica is killed with -9.
    Kill,
    /// Two replicas are, at the same moment.
    KillTwo,
    /// A replica is asked to stop.
    Terminate,
    /// A replica is stopped in its tracks for longer than the lease, and then goes on.
    Freeze,
    /// nginx reads its configuration again.
    Reload,
    /// Redis is killed with -9 and started again.
    Redis,
    /// PostgreSQL is stopped at once and started again.
    Postgres,
}

/// All of them in the order in which they come, again and again: the first time within half a minute.
pub(super) const ROUND: [Fault; 10] = [
    Fault::Kill,
    Fault::Reload,
    Fault::Redis,
    Fault::Terminate,
    Fault::Freeze,
    Fault::Kill,
    Fault::Postgres,
    Fault::KillTwo,
    Fault::Redis,
    Fault::Reload,
];

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "replica killed",
            Self::KillTwo => "two replicas killed",
            Self::Terminate => "replica terminated",
            Self::Freeze => "replica frozen",
            Self::Reload => "nginx reloaded",
            Self::Redis => "Redis killed",
            Self::Postgres => "PostgreSQL killed",
        })
    }
}

/// A fault that happened.
#[derive(Debug)]
pub(super) struct Injury {
    pub(super) fault: Fault,
    /// When, by Telegram's clock.
    pub(super) at: Millis,
    /// How long until every replica was ready again.
    pub(super) recovery: Duration,
    /// The addresses of the replicas whose process ended, and when: what they counted last, nobody has seen.
    pub(super) ended: Vec<(String, Millis)>,
    /// Messages of which nobody could know whether they were sent: the chat, and the item.
    pub(super) ambiguous: Vec<(i64, String)>,
}

/// Does one thing after the other until the time is over.
pub(super) async fn inject(bed: &mut Bed, until: Instant) -> Vec<Injury> {
    let (mut injuries, mut place) = (Vec::new(), 0);
    for fault in ROUND.into_iter().cycle() {
        let calm = rand::random_range(CALM_MS.0..CALM_MS.1);
        sleep(Duration::from_millis(calm)).await;
        if Instant::now() > until && injuries.len() >= ROUND.len() {
            break;
        }
        injuries.push(bed.injure(fault, place).await);
        place = (place + 1) % REPLICAS;
    }
    injuries
}

impl Bed {
    /// Does this, to the replica in this place if to any, and waits until all are ready again.
    async fn injure(&mut self, fault: Fault, place: usize) -> Injury {
        let (at, began) = (self.telegram.now(), Instant::now());
        let (mut ended, mut ambiguous) = (Vec::new(), Vec::new());
        match fault {
            Fault::Kill => ambiguous = self.kill(&[place], &mut ended).await,
            Fault::KillTwo => {
                let both = [place, (place + 1) % REPLICAS];
                ambiguous = self.kill(&both, &mut ended).await;
            }
            Fault::Terminate => {
                let server = self.replicas[place].leave();
                server.terminate();
                let (code, log) = server.ended().await;
                assert_eq!(code, 0, "{log:#?}");
                ended.push((self.replicas[place].ops.to_string(), self.telegram.now()));
                self.replicas[place].start(&self.telegram).await;
            }
            Fault::Freeze => ambiguous = self.freeze(place).await,
            Fault::Reload => self.nginx.reload(),
            Fault::Redis => {
                tokio::task::block_in_place(|| self.redis.restart());
                // Whatever is first in its lane and was sent: the store may not know.
                ambiguous = self.called(self.redis.first_in_lanes(&self.prefix), |_| true);
            }
            Fault::Postgres => tokio::task::block_in_place(|| self.postgres.restart()),
        }
        self.until_ready().await;
        Injury { fault, at, recovery: began.elapsed(), ended, ambiguous }
    }

    /// Kills these at the same moment; answers what they had sent and not noted.
    async fn kill(
        &mut self,
        places: &[usize],
        ended: &mut Vec<(String, Millis)>,
    ) -> Vec<(i64, String)> {
        let names: Vec<String> = places.iter().map(|it| self.replicas[*it].name()).collect();
        for place in places {
            self.replicas[*place].leave().kill();
            ended.push((self.replicas[*place].ops.to_string(), self.telegram.now()));
        }
        let first = self.redis.first_in_lanes(&self.prefix);
        for place in places {
            self.replicas[*place].start(&self.telegram).await;
        }
        // Telegram may have come to read it only by now.
        self.called(first, |caller| names.iter().any(|name| name == caller))
    }

    /// Stops one in its tracks for a while; answers what was in its hand: what it had sent, and what nobody else has sent soon.
    async fn freeze(&mut self, place: usize) -> Vec<(i64, String)> {
        let name = self.replicas[place].name();
        self.replicas[place].server().freeze();
        let mut in_hand = self.redis.first_in_lanes(&self.prefix);
        sleep(IN_HAND).await;
        let still = self.redis.first_in_lanes(&self.prefix);
        sleep(FROZEN.saturating_sub(IN_HAND)).await;
        // Telegram may have come to read it only by now.
        let sent = self.called(in_hand.clone(), |caller| caller == name);
        self.replicas[place].server().thaw();
        in_hand.retain(|item| still.contains(item) || sent.contains(item));
        in_hand
    }

    /// Of these items, those that were sent already, by somebody of whom this is true.
    fn called(&self, items: Vec<(i64, String)>, by: impl Fn(&str) -> bool) -> Vec<(i64, String)> {
        let chats: HashSet<i64> = items.iter().map(|(chat, _)| *chat).collect();
        let calls = self.telegram.sent_to(&chats);
        let was_sent = |(chat, item): &(i64, String)| {
            calls.iter().any(|call| {
                let caller = call.caller.as_deref().unwrap_or_default();
                call.chat() == *chat && by(caller) && says(item, call)
            })
        };
        items.into_iter().filter(was_sent).collect()
    }
}
