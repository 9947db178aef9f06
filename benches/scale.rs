//! Whether an update costs more when many dialogues are stored, and what each of them takes: `cargo bench --bench scale`.
//!
//! Each size has a Redis and a server of its own. Redis is filled through the store's own commit with dialogues as the photo
//! flow leaves them, under the server's own keys: record, timer, count and seen mark. Then people picked from all of them at random talk to the servers in
//! turns; beside each server a limit (`bed/limit.rs`) over as many plain keys, since a Redis whose data outgrow the caches of the
//! processor costs more whoever asks it.
//!
//! `BENCH_FULL=1` adds a million dialogues, which take half a minute or more to store; `BENCH_DIALOGUES=1000,1000000` says how many. `BENCH_SECONDS`, `BENCH_ROUNDS` and `BENCH_AT_ONCE`
//! are as in `updates.rs`.

#![allow(missing_docs, unreachable_pub, reason = "nobody links against a bench")]

#[allow(dead_code, reason = "each bench uses its part of it")]
mod bed;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bed::bot_api::BotApi;
use bed::contender::{Contender, TOKEN, get};
use bed::crowd::{Crowd, FIRST};
use bed::redis_server::RedisServer;
use bed::round::Round;
use bed::table::{median, percentiles};
use bed::{limit, setting, table};
use field_service::flows;
use steadfast::dialogue::{Dialogue, How, Input, Photo, Scene, Turn, read};
use steadfast::store::{
    Cause, Commit, DialogueKey, Millis, Next, Redis, RedisConfig, SEEN_FOR, Store, Token,
};

/// How many commits are under way at once while filling.
const FILLERS: u64 = 256;
/// The ids of the updates that filled the store lie above those of the crowd.
const FILLED: u32 = 1 << 31;
/// How often `/metrics` is asked for.
const SCRAPES: usize = 20;
/// The time from one timer to the next: a prime, so that they are spread over a minute in no order, as if that was when people came.
const SPREAD: Millis = 7_777;
const MINUTE: Millis = 60 * 1000;
/// How long it is until the first of the stored dialogues is reminded of, which would be measured along with the rest.
const UNTIL_REMINDED: Duration = Duration::from_secs(4 * 60);

/// A server over a Redis with so many dialogues.
struct Size {
    dialogues: u64,
    filled_in: Duration,
    bytes_each: f64,
    keys: u64,
    bot: Contender,
    limit: Contender,
    crowd: Crowd,
    rounds: Vec<Round>,
    limit_rounds: Vec<Round>,
}

fn main() {
    limit::serve_if_asked();
    if bed::arguments().is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(run());
}

async fn run() {
    let start = Instant::now();
    let api = BotApi::start().await.expect("a free port");
    let mut sizes = Vec::new();
    for dialogues in counts() {
        sizes.push(Size::new(dialogues, &api).await);
    }
    let time = Duration::from_secs_f64(setting("BENCH_SECONDS", 4.0));
    for size in &sizes {
        size.crowd.talk(size.bot.door, time / 4).await;
        size.crowd.talk(size.limit.door, time / 4).await;
    }
    for _ in 0..setting("BENCH_ROUNDS", 5) {
        for size in &mut sizes {
            let round = Round::of(&size.limit, &size.crowd, time).await;
            size.limit_rounds.push(round);
            let round = Round::of(&size.bot, &size.crowd, time).await;
            size.rounds.push(round);
        }
    }
    assert!(
        start.elapsed() < UNTIL_REMINDED,
        "some were reminded meanwhile: measure for a shorter time"
    );
    let mut rows = Vec::new();
    for size in &sizes {
        rows.push(size.row().await);
    }
    let header = [
        "dialogues",
        "stored in s",
        "Redis bytes each",
        "ready ms",
        "updates/s",
        "CPU µs bot",
        "CPU µs Redis",
        "limit's µs bot",
        "limit's µs Redis",
        "of limit",
        "replied p50 / p95 / p99 / max ms",
        "/metrics ms",
        "RSS MiB",
        "lost",
    ];
    table::print(&header, &rows);
}

impl Size {
    async fn new(dialogues: u64, api: &BotApi) -> Self {
        let redis = RedisServer::start::<&str>(&[]);
        let before = used_memory(&redis);
        let start = Instant::now();
        fill(&redis, dialogues).await;
        let filled_in = start.elapsed();
        let bytes_each = (used_memory(&redis) - before) / dialogues as f64;
        let keys = key_count(&redis);
        let crowd = Crowd {
            api: api.clone(),
            people: dialogues,
            at_once: setting("BENCH_AT_ONCE", 100),
            next_update: Arc::default(),
        };
        let plain = RedisServer::start::<&str>(&[]);
        limit::fill(&plain.url(), FIRST, dialogues).await;
        Self {
            dialogues,
            filled_in,
            bytes_each,
            keys,
            bot: Contender::server("redis", api, Some(redis), &[]).await,
            limit: Contender::limit("limit", api, plain),
            crowd,
            rounds: Vec::new(),
            limit_rounds: Vec::new(),
        }
    }

    /// Whether the server talked to the people that were stored: strangers would have got records of their own.
    fn knew_everybody(&self) -> bool {
        let redis = self.bot.redis.as_ref().expect("the server has a Redis");
        key_count(redis) < self.keys + self.dialogues / 2
    }

    async fn row(&self) -> Vec<String> {
        assert!(self.knew_everybody(), "the server met strangers");
        let of = |figure: &dyn Fn(&Round) -> f64| median(self.rounds.iter().map(figure));
        let limit = |figure: &dyn Fn(&Round) -> f64| median(self.limit_rounds.iter().map(figure));
        let pairs = self.rounds.iter().zip(&self.limit_rounds);
        let ratio = pairs.map(|(ours, limit)| ours.per_cpu_second() / limit.per_cpu_second());
        let whole = Round::talk_of(&self.rounds);
        vec![
            self.dialogues.to_string(),
            format!("{:.1}", self.filled_in.as_secs_f64()),
            format!("{:.0}", self.bytes_each),
            format!("{:.0}", self.bot.started_in.as_secs_f64() * 1000.0),
            format!("{:.0}", of(&Round::per_second)),
            format!("{:.0}", of(&Round::bot_micros)),
            format!("{:.0}", of(&Round::redis_micros)),
            format!("{:.0}", limit(&Round::bot_micros)),
            format!("{:.0}", limit(&Round::redis_micros)),
            format!("{:.0} %", median(ratio) * 100.0),
            percentiles(&whole.replied),
            format!("{:.1}", self.scrape().await),
            format!("{:.0}", self.bot.resident_mib()),
            whole.lost.to_string(),
        ]
    }

    /// Milliseconds to get `/metrics`.
    async fn scrape(&self) -> f64 {
        let ops = self.bot.ops.expect("the server has an operations listener");
        let mut times = Vec::new();
        for _ in 0..SCRAPES {
            let start = Instant::now();
            assert_eq!(get(ops, "/metrics").await.ok(), Some(200));
            times.push(start.elapsed().as_secs_f64() * 1000.0);
        }
        median(times)
    }
}

/// How many dialogues each Redis holds.
fn counts() -> Vec<u64> {
    let usual = match std::env::var_os("BENCH_FULL") {
        Some(_) => "1000,100000,1000000",
        None => "1000,100000",
    };
    let counts: String = setting("BENCH_DIALOGUES", usual.to_owned());
    let counts = counts.split(',').map(|count| count.trim().parse());
    counts.collect::<Result<_, _>>().expect("BENCH_DIALOGUES is numbers with commas between")
}

/// Stores so many dialogues, each at the question for a caption.
async fn fill(redis: &RedisServer, dialogues: u64) {
    let config = RedisConfig::new(redis.url(), prefix());
    let store = Arc::new(Redis::connect(config).await.expect("Redis is there"));
    let next = at_the_caption(now());
    let mut fillers = tokio::task::JoinSet::new();
    for first in 0..FILLERS {
        let (store, next) = (Arc::clone(&store), next.clone());
        fillers.spawn(async move {
            for index in (first..dialogues).step_by(FILLERS as usize) {
                let person = (FIRST + index).cast_signed();
                let key = DialogueKey { chat: person, user: person, topic: None };
                let next =
                    Next { due: next.due.map(|due| due - index * SPREAD % MINUTE), ..next.clone() };
                let commit = commit(FILLED + index as u32, next);
                store.commit(&key, &commit).await.expect("it is stored");
            }
        });
    }
    fillers.join_all().await;
    store.close().await;
}

/// The beginning of the server's keys: whoever is stored under another is a stranger, and meeting one costs more.
fn prefix() -> String {
    let bot = TOKEN.split(':').next().expect("a token begins with a number");
    format!("sf:{bot}")
}

fn commit(update: u32, next: Next) -> Commit {
    Commit {
        turn: Token::fresh(),
        cause: Cause::Update(update),
        expected: 0,
        loaded_at: now(),
        next,
        messages: Vec::new(),
        jobs: Vec::new(),
        dead: None,
        settles: None,
    }
}

/// What the photo flow leaves of a dialogue after a photo.
fn at_the_caption(now: Millis) -> Next {
    let photo = Photo { file_id: bed::update::FILE_ID.to_owned(), album: None, caption: None };
    let mut turn = Turn::from(Input::Photo(photo));
    turn.view.now = now;
    let lost = read("unfinished_profile", "");
    turn.view.reads.insert(lost, serde_json::Value::Null);
    let scene = Scene { dialogue: Dialogue::default(), turn, how: How::Play };
    let dialogue = flows::all().play(scene).expect("played").dialogue;
    Next {
        labels: dialogue.labels(),
        body: dialogue.write().into(),
        due: dialogue.due(),
        idle: dialogue.idle(SEEN_FOR),
    }
}

fn key_count(redis: &RedisServer) -> u64 {
    let size = redis.command(&["DBSIZE"]);
    let size = size.strip_prefix(':').and_then(|size| size.parse().ok());
    size.expect("Redis counts its keys")
}

fn used_memory(redis: &RedisServer) -> f64 {
    let info = redis.command(&["INFO", "memory"]);
    let bytes = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
    bytes.and_then(|bytes| bytes.trim().parse().ok()).expect("Redis knows its memory")
}

fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
