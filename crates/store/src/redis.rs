//! A store in Redis, shared by all replicas.
//!
//! Each operation is one Lua script over keys of one hash slot, so it happens whole and at once; [`keys`] says what is
//! kept where and [`record`] how a dialogue is written. Scripts may be repeated blindly, which [`connection`] makes use
//! of. The time is that of Redis.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use redis::{FromRedisValue, Value};

use self::connection::{Ask, Connection};
use self::fault::Fault;
use self::keys::{Keys, STRAYS};
use self::lane::With;
use self::script::{
    BEAT, Call, ENTOMB, FREEZE, KEEP, LEASE, PING, REHEARSE, RELEASE, RETRY, Script, millis,
};
use super::pace::micros;
use super::{
    After, Backlog, Cause, Commit, Committed, Cursor, DEAD_MAX, DialogueKey, Due, Error, Finding,
    Grant, Item, Lane, LaneKind, Loaded, Millis, Note, Page, Person, Pulse, Pushed, Refused,
    Result, Store, Token, Vitals, check_size,
};

mod config;
mod connection;
mod dialogue;
mod fault;
mod inspect;
mod keys;
mod lane;
mod link;
mod pace;
mod patience;
mod people;
mod record;
mod script;

pub use config::RedisConfig;

/// What a Redis must be for our scripts.
const SCRIPTS: &str = "Redis 7.0 or newer is needed, and a user with `+@scripting +@read +@write +time +ping +role +info +config|get`";
/// How long the trace of a ping stays.
const PING_FOR: Duration = Duration::from_secs(60);

/// A store in Redis.
pub struct Redis {
    config: RedisConfig,
    keys: Keys,
    connection: Connection,
    /// What the clock of each partition's server showed when it was last swept, and when it was asked. In a cluster each has its own.
    clocks: Mutex<Vec<(Millis, Instant)>>,
}

impl Redis {
    /// Connects, or says why not, within [`RedisConfig::call_timeout`].
    pub async fn connect(config: RedisConfig) -> Result<Self> {
        let connection = Connection::open(config.client()?, config.call_timeout).await?;
        let keys = Keys::new(&config.prefix);
        let store = Self { config, keys, connection, clocks: Mutex::default() };
        store.try_scripts().await?;
        Ok(store)
    }

    /// One that runs no scripts would refuse every turn, for ever, and one that refuses a command of theirs would leave a turn done by
    /// half. What may pass, such as a full memory, is not waited for here.
    async fn try_scripts(&self) -> Result<()> {
        let call = self.call(&REHEARSE, &[&self.keys.rehearsal()]);
        let refused: Result<Option<String>> = self.ask(call.arg(millis(PING_FOR))).await;
        let (kind, why) = match refused {
            Ok(Some(command)) => ("noperm", command),
            Err(Error::Unavailable { kind: kind @ ("noperm" | "other"), detail }) => (kind, detail),
            _ => return Ok(()),
        };
        let detail = format!("it does not run our scripts ({why}); {SCRIPTS}");
        Err(Error::Unavailable { kind, detail })
    }

    /// A time of Redis as this store counts it.
    fn moved(&self, time: Millis) -> Millis {
        time.saturating_add_signed(self.config.clock_offset.load(Ordering::Relaxed))
    }

    fn call(&self, script: &'static Script, keys: &[&str]) -> Call {
        let offset = self.config.clock_offset.load(Ordering::Relaxed);
        Call::new(script, keys, offset)
    }

    /// Makes several trips within the time of one call.
    async fn within_a_call<T>(&self, trips: impl Future<Output = Result<T>>) -> Result<T> {
        let done = tokio::time::timeout(self.config.call_timeout, trips).await;
        done.unwrap_or_else(|_| Err(Fault::timeout().into()))
    }

    async fn ask<T: FromRedisValue>(&self, call: Call) -> Result<T> {
        self.connection.ask(Ask::Call(&call)).await
    }

    async fn ask_all<T: FromRedisValue>(&self, calls: Vec<Call>) -> Result<Vec<T>> {
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        self.connection.ask(Ask::Calls(&calls)).await
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("config", &self.config)
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for Redis {
    fn kind(&self) -> &'static str {
        "redis"
    }

    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        self.load_for(key, cause, turn).await
    }

    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        self.note(key, cause, turn, guilty).await
    }

    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        check_size(commit)?;
        self.put_into_effect(key, commit).await
    }

    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>> {
        self.read(key).await
    }

    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        self.within_a_call(self.sweep(token, limit, hold)).await
    }

    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After> {
        self.take_off(lane, token, id, note.map_or(With::Nothing, With::Note)).await
    }

    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After> {
        self.take_off(lane, token, id, With::Letter(&letter)).await
    }

    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        let keys = self.keys.of_chat(lane.chat);
        let call = self
            .call(&RETRY, &[&keys.claims, &keys.lanes])
            .arg(lane.to_string())
            .packed(token.0)
            .arg(millis(delay));
        self.ask(call).await
    }

    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        self.prolong(held).await
    }

    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        self.hand_over(lane, token, item).await
    }

    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        self.take_grant(kind, want).await
    }

    async fn freeze(&self, time: Duration) -> Result<()> {
        let call = self.call(&FREEZE, &[&self.keys.pace()]);
        let _: Value = self.ask(call.arg(micros(time))).await?;
        Ok(())
    }

    async fn hold(&self, chat: i64, time: Duration) -> Result<()> {
        self.put_off(chat, time).await
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        self.noted(chat, name).await
    }

    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        self.note_block(chat, refused).await
    }

    async fn blocked(&self, chat: i64) -> Result<bool> {
        let mut is_member = redis::cmd("SISMEMBER");
        is_member.arg(&self.keys.of_chat(chat).blocked).arg(chat);
        self.connection.ask(Ask::Cmd(&is_member)).await
    }

    async fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        let mut get = redis::cmd("GET");
        get.arg(self.keys.kept(name));
        let value: Option<Vec<u8>> = self.connection.ask(Ask::Cmd(&get)).await?;
        Ok(value.map(Bytes::from))
    }

    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        let call = self.call(&KEEP, &[&self.keys.kept(name)]).arg(value);
        self.ask(call.arg(expected)).await
    }

    async fn backlog(&self) -> Result<Backlog> {
        self.count_backlog().await
    }

    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        self.lined_up(chat, limit).await
    }

    async fn drop_messages(&self, chat: i64) -> Result<u64> {
        self.drop_sent(chat).await
    }

    async fn active(&self) -> Result<Vec<(String, u64)>> {
        self.counts().await
    }

    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        self.within_a_call(self.page(label, cursor, limit)).await
    }

    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        self.kept_of(user).await
    }

    async fn entomb(&self, letter: Bytes) -> Result<()> {
        let keys = self.keys.partition(STRAYS);
        let call = self.call(&ENTOMB, &[&keys.dead, &keys.dropped]);
        let _: Value = self.ask(call.arg(&letter[..])).await?;
        Ok(())
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>> {
        let mut pipeline = redis::pipe();
        for keys in self.keys.partitions() {
            pipeline.cmd("LRANGE").arg(&keys.dead).arg(0).arg(limit.clamp(1, DEAD_MAX) - 1);
        }
        let letters: Vec<Vec<Vec<u8>>> = self.connection.ask(Ask::Cmds(&pipeline)).await?;
        let letters = letters.into_iter().flatten();
        Ok(letters.take(limit).map(Bytes::from).collect())
    }

    async fn remove_letter(&self, letter: &[u8]) -> Result<bool> {
        let mut pipeline = redis::pipe();
        for keys in self.keys.partitions() {
            pipeline.cmd("LREM").arg(&keys.dead).arg(0).arg(letter);
        }
        let removed: Vec<u64> = self.connection.ask(Ask::Cmds(&pipeline)).await?;
        Ok(removed.into_iter().any(|count| count > 0))
    }

    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>> {
        let call = self.call(&LEASE, &[&self.keys.lease(name)]).packed(holder.0).arg(millis(ttl));
        self.ask(call).await
    }

    async fn release(&self, name: &str, holder: Token) -> Result<()> {
        let call = self.call(&RELEASE, &[&self.keys.lease(name)]);
        let _: Value = self.ask(call.packed(holder.0)).await?;
        Ok(())
    }

    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse> {
        let keys = [&self.keys.beats(), &self.keys.alive()];
        let call = self.call(&BEAT, &keys.map(String::as_str)).arg(replica);
        let call = call.arg(info.as_deref());
        let (now, hold, replicas): (Millis, Option<Millis>, Vec<(String, Vec<u8>)>) =
            self.ask(call).await?;
        let replicas = replicas.into_iter();
        Ok(Pulse {
            replicas: replicas.map(|(name, info)| (name, info.into())).collect(),
            hold,
            now,
        })
    }

    async fn ping(&self) -> Result<()> {
        let call = self.call(&PING, &[&self.keys.ping()]);
        let _: Value = self.ask(call.arg(millis(PING_FOR))).await?;
        Ok(())
    }

    async fn inspect(&self) -> Result<Vec<Finding>> {
        self.within_a_call(self.findings()).await
    }

    async fn vitals(&self) -> Result<Option<Vitals>> {
        self.own_vitals().await.map(Some)
    }

    async fn close(&self) {
        self.connection.close();
    }
}
