//! Where dialogues are kept: the contract that every store fulfils.
//!
//! A store knows keys, versions, labels and bytes; it knows neither flows nor Telegram. Its heart is
//! [`Store::commit`]: state, seen mark, timer, counters and effects together or not at all.
//!
//! Every call may be repeated blindly: an error never means "not done", it means "not known", and the same call
//! with the same [`Token`] finds out. Where a repeat cannot answer as the lost call did, the call says so.
//!
//! A store also keeps to a pace, where it is given [`Limits`]: whoever is handed the head of a message or broadcast lane is
//! told how long to wait before sending it. The sending is reserved by the same call, once for each head: a repeat, the
//! next holder after a lapsed lease, and the next claim after [`Store::retry`] are told what is left of that wait. So a
//! head that was given back, because its wait was long, has its place when it comes again.
//! `tests/it/store.rs` is the suite that each backend passes.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

mod clock;
mod delivery;
mod embedded;
mod local;
mod measured;
mod memory;
mod pace;
mod redis;

pub use clock::{Clock, Shift};
pub use delivery::{Backlog, Head, Note, Pushed, Refused, Settle};
pub use embedded::Embedded;
pub use measured::{Measured, OPS};
pub use memory::Memory;
pub use pace::{Grant, Limits, Pace};
pub use redis::{Redis, RedisConfig};

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
/// How long after an outage the timers that fell into it are held back, so that redelivered answers come first.
pub const OUTAGE_GRACE: Duration = Duration::from_secs(180);
/// A replica not heard of for this long is gone.
pub const BEAT_FOR: Duration = Duration::from_secs(15);
/// How long the name of a message is remembered after it was noted last.
pub const NAMED_FOR: Duration = Duration::from_secs(48 * 3600);
/// A sending that is free so soon is granted ahead: who comes late for it does not make all others late.
pub const AHEAD: Duration = Duration::from_millis(250);
/// How long after a sending is free for a reply that waited for it no broadcast may take it.
pub const REPLIES_FIRST: Duration = Duration::from_millis(250);
/// How many dead letters a partition keeps; the oldest go first.
pub const DEAD_MAX: usize = 1000;

/// Milliseconds since the epoch by the store's clock, the one clock all replicas share.
pub type Millis = u64;

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
    async fn load(&self, key: &Key, cause: Cause, turn: Token) -> Result<Loaded>;

    /// Notes (`true`) a failed try where [`Store::load`] could not, because there was no record, or takes back (`false`) one
    /// that was not the turn's own fault, if it is among the last [`NOTED_MAX`]. Answers how many tries are now on record.
    /// Repeating a `turn` changes nothing. A record that cannot be read is left alone: 0.
    async fn blame(&self, key: &Key, cause: Cause, turn: Token, guilty: bool) -> Result<u32>;

    /// Puts a step into effect, atomically: checks, then record, seen mark, timer, counts, effects. The tries of its cause end,
    /// those of others stay. An update of a chat that was [blocked](Store::block) ends that; any other cause leaves the
    /// messages out while it lasts. In the place of a record that could not be read it leaves nothing of that: not its timer,
    /// nor what it was counted under.
    async fn commit(&self, key: &Key, commit: &Commit) -> Result<Committed>;

    /// Reads a dialogue without touching it; an idle one too, as long as its record is kept.
    async fn peek(&self, key: &Key) -> Result<Option<Person>>;

    /// Timers that are due and lanes nobody works, at most `limit` of each per partition. The lanes are leased to
    /// `token`. Timers due at or before `hold` are left alone. Repeated, it does not find the lanes that a lost call leased;
    /// they come back when the lease is over.
    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due>;

    /// Takes the effect `id` off the head of the lane, if the lane is still `token`'s, and answers the next one. An empty
    /// lane is given up. The note is kept also when the effect is gone already, but not when the lane is another's.
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

    /// Takes up to `want` sendings of this kind out of [`Limits::bot`] now, or the next one if it is free within [`AHEAD`], or
    /// answers how long until that. Replies go before broadcasts, whichever replica has them: while messages have to wait, or are
    /// granted fewer than they want, and for [`REPLIES_FIRST`] after the next one is free, broadcasts are granted none. Without that limit all are granted, and the
    /// grant says so, unless there is a [freeze](Store::freeze). Repeated, it takes others; those of a lost call lapse.
    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant>;

    /// Stops all sendings of the bot: nothing is granted to anybody until `time` is over. Never shortens a freeze. Repeated,
    /// it counts from the repeat.
    async fn freeze(&self, time: Duration) -> Result<()>;

    /// Puts off all that is to be sent to this chat, by messages and by broadcasts: whoever is handed a head from now on waits
    /// at least so long, and after that there is no burst. Never shortens a wait. Where the chat has no [`Limits`], nothing is
    /// put off.
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

    /// Lets go of everything. No call may follow.
    async fn close(&self);
}

/// Names a dialogue: a person in a chat, or in a topic of it. A function of the update alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The chat it lives in; fixes the partition.
    pub chat: i64,
    /// The person.
    pub user: i64,
    /// The topic, where dialogues are kept per topic.
    pub topic: Option<i32>,
}

impl Key {
    /// The partition of everything that belongs to this dialogue's chat.
    pub fn partition(&self) -> u8 {
        partition(self.chat)
    }
}

/// The partition of a chat.
pub fn partition(chat: i64) -> u8 {
    (xxhash_rust::xxh3::xxh3_64(&chat.to_be_bytes()) % u64::from(PARTITIONS)) as u8
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.chat, self.user)?;
        self.topic.map_or(Ok(()), |topic| write!(f, ":{topic}"))
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bad = |_| format!("`{text}` is not a dialogue: expected CHAT:USER or CHAT:USER:TOPIC");
        let mut parts = text.split(':');
        let mut next = || parts.next().unwrap_or_default();
        let (chat, user) = (next().parse().map_err(bad)?, next().parse().map_err(bad)?);
        let topic = parts.next().map(str::parse).transpose().map_err(bad)?;
        match parts.next() {
            None => Ok(Self { chat, user, topic }),
            Some(_) => Err(format!("`{text}` is not a dialogue: too many parts")),
        }
    }
}

/// What makes a turn happen, and thereby what its tries are counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// An update of Telegram's; its id enters the seen marks.
    Update(u32),
    /// A timer that was due at this time.
    Timer(Millis),
    /// An operator, or the server itself.
    Order,
}

impl Cause {
    /// What tries are counted under. Due times are far above all update ids, so the two never meet.
    pub fn number(self) -> u64 {
        match self {
            Self::Update(id) => u64::from(id),
            Self::Timer(due) => due,
            Self::Order => 0,
        }
    }

    /// The id that enters the seen marks.
    pub fn update(self) -> Option<u32> {
        match self {
            Self::Update(id) => Some(id),
            Self::Timer(_) | Self::Order => None,
        }
    }
}

/// A random number that names a turn, or the holder of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(pub u64);

impl Token {
    /// A token nobody else has.
    pub fn fresh() -> Self {
        Self(rand::random())
    }
}

impl fmt::Display for Token {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The answer to [`Store::load`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// This update is committed already.
    Duplicate,
    /// The dialogue as it stands.
    Fresh(Snapshot),
}

/// A dialogue as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// 0: there is no record. [`UNREADABLE`]: it cannot be read.
    pub version: u64,
    /// The record as it was found, where it cannot be read.
    pub unreadable: Option<Bytes>,
    /// What the last commit left, byte for byte.
    pub body: Option<Bytes>,
    /// When its timer is due.
    pub due: Option<Millis>,
    /// Records and hand-overs of this home that are still to be carried out.
    pub pending: u32,
    /// How often this cause has been tried, this time included. 0: nothing could be noted, for lack of a record.
    pub tries: u32,
    /// The store's time.
    pub now: Millis,
}

/// A step to be put into effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Names the turn: the same turn again answers as the first time. Also the token of the lanes it is given.
    pub turn: Token,
    /// Why the turn happened.
    pub cause: Cause,
    /// The version that was loaded.
    pub expected: u64,
    /// [`Snapshot::now`] of the load.
    pub loaded_at: Millis,
    /// What the dialogue becomes.
    pub next: Next,
    /// Messages for the home chat, in order.
    pub messages: Vec<Item>,
    /// Records and hand-overs to other chats, in order. They never wait for Telegram.
    pub jobs: Vec<Item>,
    /// A dead letter to keep.
    pub dead: Option<Bytes>,
    /// Jobs of the home that this step brings to an end.
    pub settles: Option<Settle>,
}

impl Commit {
    /// [`Receipt::dropped`], where the messages were left out or not.
    fn dropped(&self, is_dropped: bool) -> u32 {
        if is_dropped {
            self.messages.len() as u32
        } else {
            0
        }
    }
}

/// What a dialogue becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Next {
    /// Under which it is counted, such as `order/phone`. None: the dialogue is idle.
    pub labels: Vec<String>,
    /// Opaque; at most [`MAX_BODY_BYTES`], and without a line feed.
    pub body: Bytes,
    /// When the timer is due. A dialogue with labels has one.
    pub due: Option<Millis>,
    /// How long an idle record is kept.
    pub idle: Duration,
}

/// An effect in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Stable over redelivery: (update id, date or callback id, index). Without a line feed.
    pub id: String,
    /// Opaque.
    pub body: Bytes,
}

/// The answer to [`Store::commit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is done, now or by an earlier call of the same turn.
    Done(Receipt),
    /// Someone else was first; this is how the dialogue stands now.
    Conflict(Snapshot),
    /// The update was committed by another turn.
    Duplicate,
    /// The turn took longer than [`MAX_TURN_AGE`].
    TooOld,
    /// What it [settles](Commit::settles) is not at the head of the lane, or the lane is someone else's. Nothing was written.
    Stale,
}

/// What a commit brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// The new version; to a repeat after another commit, the latest one.
    pub version: u64,
    /// The message lane of the home was idle and is now leased to the turn.
    pub messages_leased: bool,
    /// How long to wait before sending the first of them; to a repeat, what is left of that.
    pub messages_wait: Duration,
    /// The same for its jobs, which never wait.
    pub jobs_leased: bool,
    /// Messages that were left out because the home is [blocked](Store::block); to a repeat after another commit, 0.
    pub dropped: u32,
    /// Seen marks younger than [`SEEN_YOUNG`] that had to make room.
    pub crowded_out: u32,
    /// The partition's commit counter, this commit included.
    pub sequence: u64,
}

/// Effects of one destination, worked in order by one holder at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// What is in it.
    pub kind: LaneKind,
    /// Whose it is.
    pub chat: i64,
}

/// What a lane holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LaneKind {
    /// Messages to the chat.
    Messages,
    /// Records and hand-overs that originate in the chat.
    Jobs,
    /// Broadcasts to the chat.
    Bulk,
    /// Records that originate in the chat and that nothing waits for.
    Aside,
}

impl LaneKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Messages, Self::Jobs, Self::Bulk, Self::Aside];

    /// The name in keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "lane",
            Self::Jobs => "rec",
            Self::Bulk => "bulk",
            Self::Aside => "aside",
        }
    }

    /// Whether what it holds is sent to the chat: at a pace, and not while the chat is blocked.
    pub fn is_sent(self) -> bool {
        match self {
            Self::Messages | Self::Bulk => true,
            Self::Jobs | Self::Aside => false,
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.chat)
    }
}

impl FromStr for Lane {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bad = || format!("`{text}` is not a lane");
        let (name, chat) = text.split_once(':').ok_or_else(bad)?;
        let kind = LaneKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(bad)?;
        Ok(Self {
            kind,
            chat: chat.parse().map_err(|_| bad())?,
        })
    }
}

/// The answer to [`Store::done`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Work on with this one.
    Next(Head),
    /// The lane is empty and given up.
    Empty,
    /// The lane is someone else's by now.
    Stale,
}

/// The answer to [`Store::due`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Due {
    /// Dialogues with the time they were due, earliest first within a partition.
    pub timers: Vec<(Key, Millis)>,
    /// Lanes leased to the caller, each with its head.
    pub lanes: Vec<(Lane, Head)>,
    /// How many commits the store has taken: it only grows, unless the store went back in time.
    pub sequence: u64,
    /// The store's time.
    pub now: Millis,
}

/// Someone in a dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Who and where.
    pub key: Key,
    /// The dialogue's version.
    pub version: u64,
    /// The record as it was found, where it cannot be read; nothing else is known then.
    pub unreadable: Option<Bytes>,
    /// What the dialogue is counted under.
    pub labels: Vec<String>,
    /// What the last commit left.
    pub body: Bytes,
    /// When its timer is due.
    pub due: Option<Millis>,
}

/// Where the next page begins: a partition and who was looked at last in it. Whoever comes or goes meanwhile, nobody is passed over who
/// stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The partition to go on in.
    pub partition: u8,
    /// The last one of those before, in the order of the store.
    pub after: Option<Key>,
}

/// One page of people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// May be fewer than asked for, even none, while `next` is there.
    pub people: Vec<Person>,
    /// Where the next page begins; none at the end.
    pub next: Option<Cursor>,
}

/// The answer to [`Store::beat`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pulse {
    /// Every replica that gave a sign of life in the last [`BEAT_FOR`], with its info.
    pub replicas: Vec<(String, Bytes)>,
    /// There was an outage that ended less than [`OUTAGE_GRACE`] ago, at this time: leave timers up to it alone.
    pub hold: Option<Millis>,
    /// The store's time.
    pub now: Millis,
}

/// Something about the set-up of a store that the operator should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at, in one word: a metric label.
    pub check: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What is so, and if not ok how to mend it.
    pub advice: String,
}

/// What can go wrong, by meaning and not by backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The store could not be asked, or did not answer in time. The call may or may not have been carried out.
    #[error("the store is unavailable ({kind}): {detail}")]
    Unavailable {
        /// A word for metrics: `timeout`, `io`, `readonly`, `oom`, `loading`, …
        kind: &'static str,
        /// For the log.
        detail: String,
    },
    /// A body over [`MAX_BODY_BYTES`].
    #[error(
        "the dialogue's state has {bytes} bytes; the ceiling is {MAX_BODY_BYTES}. Keep large things elsewhere and their id here"
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Something in the store cannot be read.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(String),
}

impl Error {
    /// A call that was not answered in time.
    pub fn timeout(detail: impl Into<String>) -> Self {
        Self::Unavailable {
            kind: "timeout",
            detail: detail.into(),
        }
    }

    /// A word for metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable { kind, .. } => kind,
            Self::TooLarge { .. } => "too_large",
            Self::Corrupt(_) => "corrupt",
        }
    }
}

/// Refuses a body over the ceiling, before anything is sent or written.
fn check_size(commit: &Commit) -> Result<()> {
    match commit.next.body.len() {
        bytes if bytes > MAX_BODY_BYTES => Err(Error::TooLarge { bytes }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_as_written() {
        for key in [
            Key {
                chat: 5,
                user: 5,
                topic: None,
            },
            Key {
                chat: -1_001_234_567_890,
                user: i64::MAX,
                topic: Some(12),
            },
        ] {
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        assert!("5".parse::<Key>().is_err());
        assert!("5:6:7:8".parse::<Key>().is_err());
    }

    #[test]
    fn a_lane_is_read_back_as_written() {
        let lane = Lane {
            kind: LaneKind::Jobs,
            chat: -5,
        };
        assert_eq!(lane.to_string().parse(), Ok(lane));
        assert!("other:5".parse::<Lane>().is_err());
    }

    #[test]
    fn the_partition_of_a_chat_never_changes() {
        assert_eq!(
            [5_i64, -1_001_234_567_890, 0].map(partition),
            [partition(5), partition(-1_001_234_567_890), partition(0)]
        );
        assert!((0..1000).map(partition).all(|p| p < PARTITIONS));
    }
}
