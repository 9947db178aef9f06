//! Random histories: whatever is asked of a store, it answers as [`Memory`](steadfast::store::Memory) does.
//!
//! A store with a clock of its own answers other times and versions, so these are compared relative to where the
//! history began. Histories move the clock by a little over whole seconds and set timers to a little under: what such a
//! store spends working, less than a second per history, decides nothing.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use steadfast::store::{
    After, Cause, Commit, Committed, DialogueKey, Item, Lane, LaneKind, Limits, Loaded, Millis,
    Next, Note, Pace, Pushed, Settle, Snapshot, Token,
};

use crate::support::bed::{Bed, item, seconds};

/// How many histories, and how long they are at most.
const HISTORIES: u32 = 32;
const LENGTH: usize = 200;

/// The longest a history may take; what takes longer decides by the clock, and is begun anew with another.
const AT_MOST: Duration = Duration::from_millis(800);

/// In whole seconds, as all times of a history.
const LIMITS: Limits = Limits {
    bot: Some(Pace { every: Duration::from_secs(2), burst: 4 }),
    chat: Some(Pace { every: Duration::from_secs(2), burst: 2 }),
    group: Some(Pace { every: Duration::from_secs(5), burst: 3 }),
};

/// Runs histories on fresh beds beside fresh memory, and compares every answer.
pub(crate) fn agrees_with_memory<F: Future<Output = Bed>>(bed: impl Fn(Limits) -> F) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut runner = TestRunner::new(Config {
        cases: HISTORIES,
        failure_persistence: None,
        ..Config::default()
    });
    let histories = vec(event(), LENGTH / 4..LENGTH);
    let outcome = runner.run(&histories, |history| {
        runtime.block_on(async {
            let mut model = Player::new(Bed::memory_with(LIMITS).await).await;
            let bed = bed(LIMITS).await;
            let begun = Instant::now();
            let mut subject = Player::new(bed).await;
            for (number, event) in history.iter().enumerate() {
                let expected = model.play(event, number as u64).await;
                let answer = subject.play(event, number as u64).await;
                if begun.elapsed() > AT_MOST {
                    return Err(TestCaseError::reject("the machine was too busy to tell"));
                }
                prop_assert_eq!(answer, expected, "event {}: {:?}", number, event);
            }
            subject.bed.close().await;
            Ok(())
        })
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Something that is asked of a store.
#[derive(Debug, Clone)]
enum Event {
    Advance(u64),
    Load {
        slot: usize,
        turn: Plan,
    },
    /// Causes that are tried in turn, and the places they begin in.
    Alternate {
        key: usize,
        causes: Vec<Cause>,
        slot: usize,
    },
    Turn {
        slot: usize,
        turn: Plan,
    },
    Commit {
        slot: usize,
    },
    Blame {
        slot: usize,
        guilty: bool,
    },
    Peek {
        key: usize,
    },
    Due {
        hold: Option<u64>,
        limit: usize,
    },
    Done {
        lane: usize,
        holder: usize,
        how: How,
    },
    Retry {
        lane: usize,
        holder: usize,
        delay: u64,
    },
    Renew {
        lanes: Vec<(usize, usize)>,
    },
    Push {
        lane: usize,
        id: u8,
    },
    Lease {
        holder: u64,
        ttl: u64,
    },
    Release {
        holder: u64,
    },
    Beat {
        replica: u8,
        alive: bool,
    },
    Grant {
        want: u32,
    },
    Freeze {
        time: u64,
    },
    Block {
        chat: i64,
    },
    RemoveLetter {
        turn: u64,
    },
    Look,
}

/// How an effect is taken off.
#[derive(Debug, Clone, Copy)]
enum How {
    Done,
    Note,
    Bury,
}

/// What a turn is about, and what it will commit.
#[derive(Debug, Clone)]
struct Plan {
    key: usize,
    cause: Cause,
    labels: Vec<&'static str>,
    due: u64,
    idle: u64,
    messages: usize,
    jobs: usize,
    dead: bool,
    settles: bool,
}

impl Plan {
    /// Of a turn that is only tried.
    fn of_try(key: usize, cause: Cause) -> Self {
        Self {
            key,
            cause,
            labels: vec!["a/x"],
            due: 100,
            idle: 10,
            messages: 0,
            jobs: 0,
            dead: false,
            settles: false,
        }
    }
}

fn event() -> impl Strategy<Value = Event> {
    let slot = || 0..3_usize;
    let lane = || 0..LANES.len();
    prop_oneof![
        3 => prop_oneof![12 => 1..6_u64, 2 => 20..200_u64, 1 => Just(200_000)].prop_map(Event::Advance),
        6 => (slot(), plan()).prop_map(|(slot, turn)| Event::Load { slot, turn }),
        6 => (slot(), plan()).prop_map(|(slot, turn)| Event::Turn { slot, turn }),
        4 => (0..KEYS.len(), vec(cause(), 2..6), slot())
            .prop_map(|(key, causes, slot)| Event::Alternate { key, causes, slot }),
        8 => slot().prop_map(|slot| Event::Commit { slot }),
        2 => (slot(), any::<bool>()).prop_map(|(slot, guilty)| Event::Blame { slot, guilty }),
        1 => (0..KEYS.len()).prop_map(|key| Event::Peek { key }),
        4 => (proptest::option::of(0..400_u64), 1..4_usize)
            .prop_map(|(hold, limit)| Event::Due { hold, limit }),
        8 => (lane(), 0..2_usize, prop_oneof![6 => Just(How::Done), 1 => Just(How::Note), 2 => Just(How::Bury)])
            .prop_map(|(lane, holder, how)| Event::Done { lane, holder, how }),
        2 => (lane(), 0..2_usize, 0..20_u64)
            .prop_map(|(lane, holder, delay)| Event::Retry { lane, holder, delay }),
        1 => vec((lane(), 0..2_usize), 0..4).prop_map(|lanes| Event::Renew { lanes }),
        4 => (lane(), 0..6_u8).prop_map(|(lane, id)| Event::Push { lane, id }),
        2 => (0..3_u64, 1..20_u64).prop_map(|(holder, ttl)| Event::Lease { holder, ttl }),
        1 => (0..3_u64).prop_map(|holder| Event::Release { holder }),
        1 => (0..3_u8, any::<bool>()).prop_map(|(replica, alive)| Event::Beat { replica, alive }),
        1 => (0..4_u32).prop_map(|want| Event::Grant { want }),
        1 => (1..20_u64).prop_map(|time| Event::Freeze { time }),
        1 => proptest::sample::select(vec![-5, 6]).prop_map(|chat| Event::Block { chat }),
        1 => (0..50_u64).prop_map(|turn| Event::RemoveLetter { turn }),
        1 => Just(Event::Look),
    ]
}

fn cause() -> impl Strategy<Value = Cause> {
    prop_oneof![
        6 => (1..12_u32).prop_map(Cause::Update),
        1 => (1..3_u64).prop_map(|number| Cause::Timer(1 << 41 | number)),
        1 => Just(Cause::Order),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let labels = proptest::sample::subsequence(vec!["a/x", "a/y", "b/parked"], 0..3);
    let flags = [0.1, 0.2].map(proptest::bool::weighted);
    let sizes = (0..3_usize, 0..3_usize, flags);
    let times = (1..300_u64, prop_oneof![1..20_u64, Just(200_000)]);
    (0..KEYS.len(), cause(), labels, times, sizes).prop_map(
        |(key, cause, labels, (due, idle), (messages, jobs, [dead, settles]))| Plan {
            key,
            cause,
            labels,
            due,
            idle,
            messages,
            jobs,
            dead,
            settles,
        },
    )
}

const KEYS: [DialogueKey; 3] = [
    DialogueKey { chat: -5, user: 1, topic: None },
    DialogueKey { chat: -5, user: 2, topic: Some(7) },
    DialogueKey { chat: 6, user: 6, topic: None },
];

const LANES: [Lane; 4] = [
    Lane { kind: LaneKind::Messages, chat: -5 },
    Lane { kind: LaneKind::Jobs, chat: -5 },
    Lane { kind: LaneKind::Messages, chat: 6 },
    Lane { kind: LaneKind::Bulk, chat: 6 },
];

/// Plays a history on one store.
struct Player {
    bed: Bed,
    /// The store's time when the history began.
    dawn: Millis,
    /// Turns that are under way, or were.
    slots: HashMap<usize, Begun>,
    /// Who was given each lane, the latest last, and what was at its head.
    holders: HashMap<Lane, Vec<(Token, String)>>,
}

/// A turn that has loaded.
#[derive(Clone)]
struct Begun {
    token: Token,
    plan: Plan,
    snapshot: Snapshot,
}

impl Player {
    async fn new(bed: Bed) -> Self {
        let dawn = bed.fresh(&KEYS[0], Cause::Order).await.now;
        Self { bed, dawn, slots: HashMap::new(), holders: HashMap::new() }
    }

    /// Asks, and answers what came in a form that can be compared.
    async fn play(&mut self, event: &Event, number: u64) -> String {
        let token = Token(number + 1);
        // No two events are at once, lest a clock that stands still decides differently from one that moves.
        self.bed.advance(Duration::from_millis(1));
        match event {
            Event::Advance(by) => {
                self.bed.advance(seconds(*by));
                String::new()
            }
            Event::Load { slot, turn } => self.load(*slot, turn, token).await,
            Event::Alternate { key, causes, slot } => {
                self.alternate(*key, causes, *slot, number).await
            }
            Event::Turn { slot, turn } => {
                let loaded = self.load(*slot, turn, token).await;
                loaded + &self.commit(*slot).await
            }
            Event::Commit { slot } => self.commit(*slot).await,
            Event::Blame { slot, guilty } => self.blame(*slot, *guilty).await,
            Event::Peek { key } => {
                let person = self.bed.peek(&KEYS[*key]).await.expect("an answer");
                format!("{:?}", person.map(|it| (it.labels, it.body, self.since_dawn(it.due))))
            }
            Event::Due { hold, limit } => self.due(token, *limit, *hold).await,
            Event::Done { lane, holder, how } => self.done(LANES[*lane], *holder, *how).await,
            Event::Retry { lane, holder, delay } => {
                let (token, _) = self.holder(LANES[*lane], *holder);
                let retried = self.bed.retry(LANES[*lane], token, seconds(*delay)).await;
                format!("{retried:?}")
            }
            Event::Renew { lanes } => {
                let held = lanes
                    .iter()
                    .map(|&(lane, holder)| (LANES[lane], self.holder(LANES[lane], holder).0));
                let held: Vec<_> = held.collect();
                format!("{:?}", self.bed.renew(&held).await)
            }
            Event::Push { lane, id } => self.push(LANES[*lane], token, &item(id)).await,
            Event::Lease { holder, ttl } => {
                let lease = self.bed.lease("one", Token(*holder), seconds(*ttl)).await;
                format!("{lease:?}")
            }
            Event::Release { holder } => {
                format!("{:?}", self.bed.release("one", Token(*holder)).await)
            }
            Event::Beat { replica, alive } => self.beat(*replica, *alive).await,
            Event::Grant { want } => {
                let grant = self.bed.grant(LaneKind::Messages, *want).await.expect("a grant");
                format!("{} {}", grant.granted, rounded(grant.wait))
            }
            Event::Freeze { time } => format!("{:?}", self.bed.freeze(seconds(*time)).await),
            Event::Block { chat } => format!("{:?}", self.bed.block(*chat).await),
            Event::RemoveLetter { turn } => {
                let letter = format!("dead {}", Token(*turn));
                format!("{:?}", self.bed.remove_letter(letter.as_bytes()).await)
            }
            Event::Look => self.look().await,
        }
    }

    async fn load(&mut self, slot: usize, plan: &Plan, token: Token) -> String {
        let key = &KEYS[plan.key];
        match self.bed.load(key, plan.cause, token).await.expect("loaded") {
            Loaded::Duplicate => "duplicate".into(),
            Loaded::Fresh(snapshot) => {
                let told = self.tell(&snapshot);
                let plan = plan.clone();
                self.slots.insert(slot, Begun { token, plan, snapshot });
                told
            }
        }
    }

    /// Two rounds of tries, each of a turn of its own, that come to nothing; the last may still be committed.
    async fn alternate(
        &mut self,
        key: usize,
        causes: &[Cause],
        slot: usize,
        number: u64,
    ) -> String {
        let mut told = String::new();
        for (step, cause) in causes.iter().chain(causes).enumerate() {
            let token = Token(number + 1 + ((step as u64 + 1) << 16));
            let plan = Plan::of_try(key, *cause);
            told += &self.load(slot, &plan, token).await;
            told.push(' ');
        }
        told
    }

    async fn commit(&mut self, slot: usize) -> String {
        let Some(begun) = self.slots.get(&slot).cloned() else {
            return String::new();
        };
        let (key, commit) = (&KEYS[begun.plan.key], self.commit_of(&begun));
        match self.bed.commit(key, &commit).await.expect("an answer") {
            Committed::Done(receipt) => {
                let first =
                    |items: &[Item]| items.first().map_or(String::new(), |item| item.id.clone());
                for (leased, kind, items) in [
                    (receipt.messages_leased, LaneKind::Messages, &commit.messages),
                    (receipt.jobs_leased, LaneKind::Jobs, &commit.jobs),
                ] {
                    if leased {
                        self.gave(Lane { kind, chat: key.chat }, begun.token, first(items));
                    }
                }
                let grown = receipt.version.checked_sub(commit.expected);
                // A record that was forgotten meanwhile begins at the time, which differs.
                let grown = grown.filter(|grown| commit.expected != 0 && *grown < 1000);
                format!(
                    "{grown:?} {} {} {} {} {} {}",
                    receipt.messages_leased,
                    rounded(receipt.messages_wait),
                    receipt.jobs_leased,
                    receipt.dropped,
                    receipt.crowded_out,
                    receipt.sequence
                )
            }
            Committed::Conflict(snapshot) => format!("conflict {}", self.tell(&snapshot)),
            other => format!("{other:?}"),
        }
    }

    fn commit_of(&self, Begun { token, plan, snapshot }: &Begun) -> Commit {
        let items =
            |count, kind| (0..count).map(|index| item(format!("{token}/{kind}/{index}"))).collect();
        Commit {
            turn: *token,
            cause: plan.cause,
            expected: snapshot.version,
            loaded_at: snapshot.now,
            next: Next {
                labels: plan.labels.iter().map(|&label| label.into()).collect(),
                body: format!("left by {token}").into(),
                due: Some(self.at(plan.due)),
                idle: seconds(plan.idle),
            },
            messages: items(plan.messages, "m"),
            jobs: items(plan.jobs, "j"),
            dead: plan.dead.then(|| format!("dead {token}").into()),
            settles: plan.settles.then(|| self.settle(KEYS[plan.key].chat)),
        }
    }

    /// The head of the chat's jobs, as its latest holder knows it.
    fn settle(&self, chat: i64) -> Settle {
        let kind = LaneKind::Jobs;
        let (token, id) = self.holder(Lane { kind, chat }, 0);
        let ids = vec![id];
        Settle { token, ids }
    }

    async fn blame(&mut self, slot: usize, guilty: bool) -> String {
        let Some(Begun { token, plan, .. }) = self.slots.get(&slot) else {
            return String::new();
        };
        let tries = self.bed.blame(&KEYS[plan.key], plan.cause, *token, guilty);
        format!("{:?}", tries.await)
    }

    async fn due(&mut self, token: Token, limit: usize, hold: Option<u64>) -> String {
        let hold = hold.map(|hold| self.at(hold));
        let due = self.bed.due(token, limit, hold).await.expect("due");
        let mut timers: Vec<_> =
            due.timers.iter().map(|(key, due)| (self.since_dawn(Some(*due)), *key)).collect();
        timers.sort();
        let mut lapsed = due.lapsed;
        lapsed.sort();
        let mut lanes = due.lanes;
        lanes.sort_by_key(|(lane, _)| *lane);
        for (lane, head) in &lanes {
            self.gave(*lane, token, head.item.id.clone());
        }
        let lanes: Vec<_> = lanes
            .into_iter()
            .map(|(lane, head)| (lane, head.item.id, rounded(head.wait)))
            .collect();
        format!("{timers:?} {lanes:?} {lapsed:?}")
    }

    async fn done(&mut self, lane: Lane, holder: usize, how: How) -> String {
        let (token, id) = self.holder(lane, holder);
        let store = &self.bed.store;
        let after = match how {
            How::Done => store.done(lane, token, &id, None).await,
            How::Note => store.done(lane, token, &id, Some(&note(&id))).await,
            How::Bury => store.bury(lane, token, &id, format!("bury {id}").into()).await,
        };
        match after {
            Ok(After::Next(next)) => {
                self.gave(lane, token, next.item.id.clone());
                format!("{:?} {}", next.item, rounded(next.wait))
            }
            other => format!("{other:?}"),
        }
    }

    async fn push(&mut self, lane: Lane, token: Token, item: &Item) -> String {
        match self.bed.push(lane, token, item).await {
            Ok(Pushed::Leased { wait }) => {
                self.gave(lane, token, item.id.clone());
                format!("leased {}", rounded(wait))
            }
            other => format!("{other:?}"),
        }
    }

    async fn beat(&mut self, replica: u8, alive: bool) -> String {
        let info = alive.then(|| format!("info {replica}").into());
        let pulse = self.bed.beat(&replica.to_string(), info).await;
        let mut pulse = pulse.expect("a pulse");
        pulse.replicas.sort();
        // To the second, for the sake of stores whose clock moves by itself.
        let hold = pulse.hold.map(|hold| (hold - self.dawn) / 1000);
        format!("{:?} {hold:?}", pulse.replicas)
    }

    /// Everything that can be looked at.
    async fn look(&mut self) -> String {
        let counts = self.bed.counts().await;
        let page = self.bed.people(None, None, 100).await.expect("people");
        let mut people: Vec<_> =
            page.people.into_iter().map(|it| (it.key, it.labels, it.body)).collect();
        people.sort();
        let letters = self.bed.dead_letters(100).await;
        let backlog = self.bed.backlog().await.expect("a backlog");
        let oldest = backlog.oldest.map(|age| age.map(|age| age.as_secs()));
        let noted = (self.bed.named(-5, "name").await, self.bed.named(6, "name").await);
        let waiting = (self.bed.waiting(-5, 100).await, self.bed.waiting(6, 2).await);
        format!(
            "{counts:?} {people:?} {letters:?} {} {oldest:?} {} {noted:?} {waiting:?}",
            backlog.lanes, backlog.dead
        )
    }

    /// Remembers that the lane was given to a token with this at its head.
    fn gave(&mut self, lane: Lane, token: Token, head: String) {
        self.holders.entry(lane).or_default().push((token, head));
    }

    /// The latest or an earlier one who was given the lane.
    fn holder(&self, lane: Lane, back: usize) -> (Token, String) {
        let holders = self.holders.get(&lane).map_or(&[][..], Vec::as_slice);
        let holder = holders.iter().rev().nth(back).cloned();
        holder.unwrap_or((Token(u64::MAX), "nothing".into()))
    }

    fn tell(&self, snapshot: &Snapshot) -> String {
        let Snapshot { version, body, due, pending, tries, .. } = snapshot;
        let due = self.since_dawn(*due);
        format!("{} {body:?} {due:?} {pending} {tries}", *version != 0)
    }

    /// Towards the end of this second of the history.
    fn at(&self, second: u64) -> Millis {
        self.dawn + second * 1000 + 900
    }

    fn since_dawn(&self, time: Option<Millis>) -> Option<Duration> {
        time.map(|time| Duration::from_millis(time - self.dawn))
    }
}

/// A note that tells which effect made it.
fn note(id: &str) -> Note {
    Note { name: "name".into(), message: id.bytes().map(i64::from).sum() }
}

/// In seconds, rounded up: a clock that moves by itself makes a wait a little shorter.
fn rounded(wait: Duration) -> u64 {
    wait.as_millis().div_ceil(1000) as u64
}
