//! Stores for dialogues: the contract, and its backends in memory, in SQLite and in Redis.
//!
//! A store knows keys, versions, labels and bytes; it knows neither flows nor Telegram. Its central call is [`Store::commit`]: state,
//! seen update id, timer, counters and effects are written together or not at all.
//!
//! # Map
//!
//! The contract:
//!
//! - `lib.rs`: the trait [`Store`] and its constants.
//! - `turn.rs`, `commit.rs`: what [`Store::load`] returns, and what [`Store::commit`] takes and returns.
//! - `lane.rs`, `delivery.rs`: queues of effects, and what the outbox and a store exchange about them.
//! - `pace.rs`: the limits of messages per chat and per bot.
//! - `due.rs`, `pulse.rs`, `people.rs`, `vitals.rs`, `finding.rs`, `error.rs`: the values of the other calls.
//! - `partition.rs`, `clock.rs`: the partition of a chat, and the clock of a store without a server.
//!
//! The backends:
//!
//! - `local.rs` and `local/`: the rules of a store, written once over a sorted map of bytes. [`Memory`] (`memory.rs`) runs them on a
//!   `BTreeMap`, [`Embedded`] (`embedded.rs` and `embedded/`) on a SQLite file.
//! - `redis.rs` and `redis/`: [`Redis`]. The same rules are Lua scripts there, so that each call is atomic.
//! - `measured.rs`: [`Measured`], which counts and times the calls of another store.
//!
//! Beside them: [`lock`] (one process per file) and [`private`] (files that only the owner may read). `tests/it/store.rs` at the top
//! of the workspace is the suite that each backend passes.
//!
//! # Repeated calls
//!
//! A caller may repeat every call. An error never means that nothing was done; it means that the result is unknown. The same call with
//! the same [`Token`] returns it. A call that cannot return the first result again says so.
//!
//! # Rate limits
//!
//! If a store has [`Limits`], it returns each [`Head`] of a queue of messages with the time to wait before it is sent. The same call
//! reserves the sending, once per head. A repeat, the next holder after an expired lease, and the next claim after [`Store::retry`]
//! get what is left of that wait. An effect may [count](Item::counting) as several sendings.
//!
//! A reservation is only the earliest time of a sending. [`Store::done`] and [`Store::bury`] therefore count the effect again, as sent
//! at that moment, before the next head is reserved. With one sending per interval, two sendings are never closer than an interval,
//! and a burst is possible only after a rest. An effect that is sent on time costs no more than its reservation.
//!
//! A clock that is set back delays nothing by that difference: a wait lasts as long as it was when it was stored, or a little longer.
//! Only timers follow the wall clock.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

mod clock;
mod commit;
mod delivery;
mod due;
mod embedded;
mod error;
mod finding;
mod lane;
mod local;
pub mod lock;
mod measured;
mod memory;
mod pace;
mod partition;
mod people;
pub mod private;
mod pulse;
mod redis;
mod turn;
mod vitals;

pub use clock::{Clock, Shift};
pub use commit::{Commit, Committed, Item, Next, Receipt};
pub use delivery::{After, Backlog, Head, Note, Pushed, Refused, Settle};
pub use due::Due;
pub use embedded::Embedded;
pub use error::Error;
pub use finding::Finding;
pub use lane::{Lane, LaneKind};
pub use measured::{FAULTS, Measured, OPS};
pub use memory::Memory;
pub use pace::{Grant, Limits, Pace};
pub use partition::partition;
pub use people::{Cursor, Page, Person};
pub use pulse::Pulse;
pub use redis::{Redis, RedisConfig};
pub use turn::{Cause, Loaded, Snapshot, Token};
pub use vitals::Vitals;

use commit::check_size;

pub use steadfast_dialogue::{DialogueKey, Millis};

/// How many partitions the dialogues are spread over. Fixed: it is part of the keys.
pub const PARTITIONS: u8 = 64;
/// The largest body a dialogue may have.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
/// How long a lane belongs to the one who claimed it, unless renewed.
pub const LANE_LEASE: Duration = Duration::from_secs(5);
/// How many update ids a dialogue remembers.
pub const SEEN_MAX: usize = 256;
/// How long a dialogue remembers an update id.
pub const SEEN_FOR: Duration = Duration::from_secs(48 * 3600);
/// The age at which forgetting an id to make room is no longer worth counting.
pub const SEEN_YOUNG: Duration = Duration::from_secs(3600);
/// How many causes of a dialogue have their tries counted side by side; the one noted longest ago makes room.
pub const CAUSES_MAX: usize = 3;
/// How many turns a dialogue knows apart when it counts tries: those under way at once, on all replicas.
pub const NOTED_MAX: usize = 5;
/// The version of a record that cannot be read. No commit brings it.
pub const UNREADABLE: u64 = u64::MAX;
/// The longest time, by the store's clock, between a load and its commit.
pub const MAX_TURN_AGE: Duration = Duration::from_secs(30);
/// A silence of all replicas longer than this is an outage.
pub const OUTAGE_GAP: Duration = Duration::from_secs(10);
/// How long after an outage timers are held back, so that redelivered answers come first.
pub const OUTAGE_GRACE: Duration = Duration::from_secs(180);
/// A replica not heard of for this long is gone.
pub const BEAT_FOR: Duration = Duration::from_secs(15);
/// How long the name of a message is remembered after it was noted last.
pub const NAMED_FOR: Duration = Duration::from_secs(48 * 3600);
/// A sending that is free so soon is granted ahead: who comes late for it does not make all others late.
pub const AHEAD: Duration = Duration::from_millis(250);
/// How long after a sending is free for a reply that waited for it no broadcast may take it.
pub const REPLIES_FIRST: Duration = Duration::from_millis(250);
/// How often a store notes what its clock shows, to find out when it was set back.
const CLOCK_NOTED: Duration = Duration::from_secs(10);
/// How many dead letters a partition keeps; the oldest go first.
pub const DEAD_MAX: usize = 1000;

/// The outcome of a store call.
pub type Result<T> = std::result::Result<T, Error>;

/// What a store must do. All times are the store's own.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// The name of the backend, for logs and `/health`.
    fn kind(&self) -> &'static str;

    /// Reads a dialogue for a turn. Where a record exists the try is noted in it, so that a turn which kills the
    /// process is counted; the same `turn` again is not counted twice, unless [`NOTED_MAX`] others came in between. Each
    /// cause is counted for itself, until its commit, or until [`CAUSES_MAX`] others were noted and not committed since. In
    /// a record that cannot be read nothing is noted.
    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded>;

    /// Notes (`true`) a failed try where [`Store::load`] could not, because there was no record, or takes back (`false`) one
    /// that was not the turn's own fault, if it is among the last [`NOTED_MAX`]. Answers how many tries are now on record.
    /// Repeating a `turn` changes nothing. A record that cannot be read is left alone: 0.
    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32>;

    /// Puts a step into effect, atomically: checks, then record, seen mark, timer, counts, effects. The tries of its cause end,
    /// those of others stay. An update of a chat that was [blocked](Store::block) ends that; any other cause leaves the
    /// messages out while it lasts. In the place of a record that could not be read it leaves nothing of that: not its timer,
    /// nor what it was counted under.
    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed>;

    /// Reads a dialogue without touching it; an idle one too, as long as its record is kept.
    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>>;

    /// Timers that are due and lanes nobody works, at most `limit` of each per partition. The lanes are leased to
    /// `token`. Timers due at or before `hold` are left alone. Repeated, it does not find the lanes that a lost call leased;
    /// they come back when the lease is over.
    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due>;

    /// Takes the effect `id` off the head of the lane, if the lane is still `token`'s, counts it as sent now, and answers the next one.
    /// An empty lane is given up. The note is kept also when the effect is gone already, but not when the lane is another's. An empty
    /// lane is nobody's: there the note is kept whoever asks, most likely once more after a lost answer, and a message that
    /// somebody has sent too late is in the chat as well. But where the effect is gone, a name stays with a newer message: whoever
    /// asks may have slept while others sent it again.
    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After>;

    /// As [`Store::done`], keeping `letter` among the dead letters.
    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After>;

    /// Gives the lane up until `delay` is over. `false`: it was no longer `token`'s, perhaps given up by a lost call. The
    /// head keeps the time that is reserved for it, whether it was sent in vain or not at all.
    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool>;

    /// Prolongs the leases of these lanes and answers those that are no longer held.
    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>>;

    /// Hands an effect over to a lane, once however often it is called.
    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed>;

    /// Takes up to `want` sendings of this kind out of [`Limits::bot`]: of those that are free now, or else of those that are within
    /// [`AHEAD`], to be made one after the other; or answers how long until that. Replies go before broadcasts, whichever replica has
    /// them: while messages have to wait, or are granted fewer than they want, and for [`REPLIES_FIRST`] after the next one is free,
    /// broadcasts are granted none. Without that limit all are granted, and the grant says so, unless there is a
    /// [freeze](Store::freeze). Repeated, it takes others; those of a lost call lapse.
    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant>;

    /// Stops all sendings of the bot: nothing is granted to anybody until `time` is over. Never shortens a freeze. Repeated,
    /// it counts from the repeat.
    async fn freeze(&self, time: Duration) -> Result<()>;

    /// Puts off all that is to be sent to this chat, by messages and by broadcasts: whoever is handed a head from now on waits
    /// at least so long, and after that there is no burst. Never shortens a wait. It holds without [`Limits`] as well.
    async fn hold(&self, chat: i64, time: Duration) -> Result<()>;

    /// The message that was noted last under this name in a chat, for [`NAMED_FOR`] after that.
    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>>;

    /// Notes that messages do not reach this chat, until an update of it is committed. What is in its lanes stays there.
    /// `false`: the person wrote after the call began that was refused, or in that very second, so that nothing is known and
    /// nothing was noted. Their private chat is meant; of groups this is not known.
    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool>;

    /// Whether messages do not reach this chat, as [noted](Store::block).
    async fn blocked(&self, chat: i64) -> Result<bool>;

    /// What was [kept](Store::keep) under this name.
    async fn kept(&self, name: &str) -> Result<Option<Bytes>>;

    /// Keeps a small value under a name, for good, if what is kept there is `expected`; `None`: nothing. `false`: it is
    /// something else. A value that is kept already is fine, whatever was expected.
    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool>;

    /// How much there is still to do. Costs O(partitions + lanes with work).
    async fn backlog(&self) -> Result<Backlog>;

    /// What waits in the lanes of a chat, in order and without touching it: at most `limit` of each lane that has any.
    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>>;

    /// Takes all that waits to be sent to a chat out of its lanes, from whoever holds them, and says how many that was. Repeated,
    /// it says only how many came since.
    async fn drop_messages(&self, chat: i64) -> Result<u64>;

    /// How many dialogues carry each label. Costs O(labels).
    async fn active(&self) -> Result<Vec<(String, u64)>>;

    /// Pages through the people in a dialogue, or only those with `label`. Whoever is in one from the first page to the last is
    /// on one of them. Costs O(people of a partition).
    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page>;

    /// Every dialogue of a person whose record is kept: idle ones too, and perhaps one that is over. Whichever is kept from the
    /// beginning of the call to its end is among them. Costs O(all that is kept), a little at a time: for operators.
    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>>;

    /// Keeps a dead letter that belongs to no dialogue. Repeated, it keeps another.
    async fn entomb(&self, letter: Bytes) -> Result<()>;

    /// The dead letters, newest first within each partition, at most `limit` altogether.
    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>>;

    /// Takes this dead letter out, wherever it is, however often it is there. `false`: it was not there, perhaps taken out
    /// by a lost call.
    async fn remove_letter(&self, letter: &[u8]) -> Result<bool>;

    /// Takes or prolongs the lease `name` for `holder`. `Some(fence)`: it is the holder's; the fence grows with every
    /// change of holder, and when it is taken after a release. `None`: someone else has it.
    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>>;

    /// Gives the lease up, if it is `holder`'s.
    async fn release(&self, name: &str, holder: Token) -> Result<()>;

    /// A replica's sign of life, carrying `info` for the others. `None` signs off.
    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse>;

    /// The shortest call that shows the store to be there and writable.
    async fn ping(&self) -> Result<()>;

    /// What the operator should know about how this store is set up.
    async fn inspect(&self) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// How full it is and who follows it, where it is a server of its own.
    async fn vitals(&self) -> Result<Option<Vitals>> {
        Ok(None)
    }

    /// Lets go of everything. No call may follow.
    async fn close(&self);
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
