//! A thousand people at once, each busy with the bot until it is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::world::ASKED;

use super::entries::Entry;
use super::person::{Person, Unheard};
use super::scripts::{self, SCRIPTS};
use super::telegram::Telegram;

/// What somebody is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trade {
    /// A chain that grows.
    Chain,
    /// The bot's own dialogues, one after the other.
    Scripts,
    /// The same, and then a question is left open.
    LeavesOpen,
    /// Coupons, which are records.
    Coupons,
    /// Orders, one after the other: an owner.
    Orders,
    /// The reports on them: a master.
    Reports,
    /// Questions: a worker.
    Asks,
    /// Their answers: the dispatcher.
    Answers,
    /// Shifts: a worker.
    Shifts,
}

impl Trade {
    /// All there are.
    pub(super) const ALL: [Self; 9] = [
        Self::Chain,
        Self::Scripts,
        Self::LeavesOpen,
        Self::Coupons,
        Self::Orders,
        Self::Reports,
        Self::Asks,
        Self::Answers,
        Self::Shifts,
    ];

    /// That of the person in this place.
    pub(super) fn of(place: usize) -> Self {
        match place % 20 {
            0..3 => Self::Chain,
            3..4 => Self::Coupons,
            4..12 => Self::Scripts,
            _ => Self::LeavesOpen,
        }
    }

    /// Whether the dialogues are those of the bot itself, rather than made for the proof.
    pub(super) fn is_of_the_bot(self) -> bool {
        !matches!(self, Self::Chain | Self::Coupons)
    }
}

/// Somebody whose work is over.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) person: Person,
    pub(super) trade: Trade,
    /// How often they played a dialogue, or added to their chain.
    pub(super) plays: usize,
    /// What they were at when a reply did not come.
    pub(super) unheard: Option<&'static str>,
}

/// Lets these people be busy, each thinking for so long between two plays, until it is over.
pub(super) async fn busy(
    people: Vec<(Person, Trade)>,
    pause: Duration,
    over: Arc<AtomicBool>,
) -> Vec<Done> {
    let mut tasks = JoinSet::new();
    for (person, trade) in people {
        let over = Arc::clone(&over);
        tasks.spawn(async move {
            let mut done = Done::not_yet(person, trade);
            done.works(pause, &over).await;
            done
        });
    }
    tasks.join_all().await
}

/// So many people, of every trade.
pub(super) fn crowd(telegram: &Arc<Telegram>, count: usize) -> Vec<(Person, Trade)> {
    let somebody = |place| (Person::new(telegram), Trade::of(place));
    (0..count).map(somebody).collect()
}

impl Done {
    /// Somebody whose work begins.
    pub(super) fn not_yet(person: Person, trade: Trade) -> Self {
        Self { person, trade, plays: 0, unheard: None }
    }

    /// Says who they are, before anything is wrong: others find only whom the bot knows.
    pub(super) async fn introduces_themselves(&mut self) {
        let met = scripts::introduction(&mut self.person).await;
        met.expect("nothing is wrong yet");
    }

    /// The dialogue that they have left open, and where.
    pub(super) fn left_in(&self) -> Option<&'static str> {
        let opened = |entry: &&Entry| matches!(entry, Entry::Opened { .. });
        let closed = |entry: &&Entry| matches!(entry, Entry::Closed(..));
        let written = || self.person.written.iter();
        match self.trade {
            Trade::Chain => Some("chain/next"),
            Trade::LeavesOpen => Some("photo/caption"),
            _ if written().filter(opened).count() > written().filter(closed).count() => {
                Some("shift/tasks")
            }
            _ => None,
        }
    }

    async fn works(&mut self, pause: Duration, over: &AtomicBool) {
        // Not all at the same moment.
        sleep(pause.mul_f64(rand::random())).await;
        if self.trade == Trade::Chain && scripts::chain(&mut self.person).await.is_err() {
            self.unheard = Some("the beginning of a chain");
            return;
        }
        while !over.load(Ordering::Relaxed) {
            if let Err(name) = self.plays().await {
                self.unheard = Some(name);
                return;
            }
            self.plays += 1;
            sleep(pause.mul_f64(rand::random_range(0.5..1.5))).await;
        }
        if self.trade == Trade::LeavesOpen {
            self.person.sends_photo(None);
            if self.person.hears(ASKED).await.is_err() {
                self.unheard = Some("the last photo");
            }
        }
    }

    async fn plays(&mut self) -> Result<(), &'static str> {
        let at = |name: &'static str| move |_: Unheard| name;
        match self.trade {
            Trade::Chain => scripts::links(&mut self.person).await.map_err(at("a chain")),
            Trade::Coupons => scripts::coupon(&mut self.person).await.map_err(at("a coupon")),
            Trade::Orders | Trade::Reports | Trade::Asks | Trade::Answers | Trade::Shifts => {
                unreachable!("they have a place of their own")
            }
            Trade::Scripts | Trade::LeavesOpen => {
                let script = &SCRIPTS[rand::random_range(0..SCRIPTS.len())];
                let played = (script.play)(&mut self.person).await;
                played.map_err(at(script.name))
            }
        }
    }
}
