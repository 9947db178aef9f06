//! Records over whole processes: the database is stopped, Telegram is away, and two people want the same.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::time::sleep;

use crate::support::bot_api::BotApi;
use crate::support::coupon_bot::{self, FASTER, looked_at, yours};
use crate::support::patience::{all_at_once, until};
use crate::support::postgres_server::PostgresServer;
use crate::support::redis_server::RedisServer;
use crate::support::server::logged;
use crate::support::updates::{Telegram, Update, someone};
use crate::support::world::World;

/// Not a test: the server that the tests here start as a process of its own.
#[test]
#[ignore = "the server that other tests start"]
fn serves() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(coupon_bot::serve());
}

/// Two servers on the Redis that tests share, with their records in this database.
async fn two_on(database: &str) -> World {
    let api = BotApi::start();
    let setup = coupon_bot::set_up(&api, RedisServer::shared(), database);
    World::raise(api, setup, 2).await
}

/// The database, as an operator looks at it.
struct Shelf(PgConnection);

impl Shelf {
    async fn open(database: &str) -> Self {
        let connection = PgConnection::connect(database).await;
        Self(connection.expect("PostgreSQL answers"))
    }

    /// Puts so many coupons there, `name-0` and so on.
    async fn stock(&mut self, name: i64, count: usize) {
        let sql = format!(
            "INSERT INTO coupons (code) SELECT '{name}-' || number FROM generate_series(0, {count}) number"
        );
        let stocked = self.0.execute(AssertSqlSafe(sql)).await;
        stocked.expect("coupons");
    }

    async fn count(&mut self, sql: &'static str) -> usize {
        let count: i64 = sqlx::query_scalar(sql).fetch_one(&mut self.0).await.expect("a number");
        usize::try_from(count).expect("none is less than none")
    }

    /// How many coupons are taken.
    async fn taken(&mut self) -> usize {
        self.count("SELECT count(*) FROM coupons WHERE taken_by IS NOT NULL").await
    }

    /// How many of them by the person they were put there for.
    async fn taken_rightly(&mut self) -> usize {
        self.count("SELECT count(*) FROM coupons WHERE code LIKE taken_by || '-%'").await
    }

    /// How many commands were carried out or refused, but for the one that notes each person.
    async fn effects(&mut self) -> usize {
        self.count("SELECT (SELECT count(*) FROM effects) - (SELECT count(*) FROM users)").await
    }
}

fn code(user: i64, number: usize) -> String {
    format!("{user}-{number}")
}

/// Somebody takes one coupon after the other until it is over, and looks at each if they care to; answers how many.
async fn takes(
    telegram: &Telegram,
    user: i64,
    looks: bool,
    taken: &AtomicUsize,
    over: &AtomicBool,
) -> usize {
    let mut count = 0;
    while !over.load(Ordering::Relaxed) {
        let code = code(user, count);
        let take = Update::text(user, &format!("/take {code}"));
        telegram.deliver(&take).await;
        taken.fetch_add(1, Ordering::Relaxed);
        if looks {
            let look = Update::text(user, &format!("/look {code}"));
            telegram.deliver(&look).await;
        }
        count += 1;
        sleep(Duration::from_millis(rand::random_range(200..400))).await;
    }
    count
}

/// What somebody hears who took so many.
fn expected(user: i64, count: usize, looks: bool) -> Vec<String> {
    let told = |number| {
        let code = code(user, number);
        let look = looks.then(|| looked_at(&code, true));
        [Some(yours(&code)), look].into_iter().flatten()
    };
    (0..count).flat_map(told).collect()
}

/// Half of the people look at what they took: those updates cannot be dealt with meanwhile, and come again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_stopped_for_twenty_seconds_records_wait_and_then_come_once_each() {
    const PEOPLE: usize = 12;
    const AWAY: Duration = Duration::from_secs(20);
    let start = || PostgresServer::start();
    let mut postgres = tokio::task::spawn_blocking(start).await.expect("a server");
    let database = postgres.database().await;
    let world = two_on(&database).await;
    let people: Vec<_> = (0..PEOPLE).map(|place| (someone(), place % 2 == 1)).collect();
    let mut shelf = Shelf::open(&database).await;
    for (user, _) in &people {
        shelf.stock(*user, 1000).await;
    }
    let (over, taken) = (AtomicBool::new(false), AtomicUsize::new(0));
    let load = people.iter().map(async |&(user, looks)| {
        let count = takes(&world.telegram, user, looks, &taken, &over).await;
        (user, looks, count)
    });
    let outage = async {
        sleep(Duration::from_secs(2)).await;
        tokio::task::block_in_place(|| postgres.stop());
        let before = taken.load(Ordering::Relaxed);
        sleep(AWAY).await;
        let meanwhile = taken.load(Ordering::Relaxed) - before;
        tokio::task::block_in_place(|| postgres.restart());
        sleep(Duration::from_secs(2)).await;
        over.store(true, Ordering::Relaxed);
        meanwhile
    };
    let (load, meanwhile) = tokio::join!(all_at_once(load), outage);
    world.until_lanes_are_empty(RedisServer::shared()).await;

    let mut all = 0;
    for (user, looks, count) in load {
        assert_eq!(world.api.texts(user), expected(user, count, looks));
        all += count;
    }
    let mut shelf = Shelf::open(&database).await;
    println!("PostgreSQL was away for {AWAY:?}: {all} records, {meanwhile} of them meanwhile");
    assert_eq!((shelf.taken().await, shelf.taken_rightly().await), (all, all));
    assert_eq!(shelf.effects().await, all, "each was carried out once");
    assert!(meanwhile > PEOPLE, "nobody wrote while it was away");
    assert_waited(&world);
    assert_no_letters(&world);
}

/// The servers have met the outage.
fn assert_waited(world: &World) {
    let mut logs = world.servers.iter().map(|server| server.log());
    let waits = logs.any(|log| logged(&log, "a record waits for the database").count() > 0);
    assert!(waits, "no record ever waited");
}

fn assert_no_letters(world: &World) {
    let letters = RedisServer::shared().letters(world.setup.value("REDIS_PREFIX"));
    assert!(letters.is_empty(), "{letters:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_telegram_is_away_for_thirty_seconds_records_are_written() {
    const PEOPLE: usize = 10;
    const AWAY: Duration = Duration::from_secs(30);
    let database = PostgresServer::shared().await.database().await;
    let world = two_on(&database).await;
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    let mut shelf = Shelf::open(&database).await;
    for user in &people {
        shelf.stock(*user, 1000).await;
    }
    world.api.shut_door();
    let (over, taken, began) = (AtomicBool::new(false), AtomicUsize::new(0), Instant::now());
    let load = people.iter().map(async |&user| {
        let count = takes(&world.telegram, user, false, &taken, &over).await;
        (user, count)
    });
    let outage = async {
        sleep(AWAY).await;
        over.store(true, Ordering::Relaxed);
    };
    let (load, ()) = tokio::join!(all_at_once(load), outage);
    let all: usize = load.iter().map(|(_, count)| count).sum();
    until("every record is written", async || (shelf.taken().await == all).then_some(())).await;
    assert_eq!(world.api.calls().len(), 0, "Telegram is still away");
    let (away, back) = (began.elapsed(), Instant::now());
    world.api.open_door();
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for (user, count) in load {
        assert_eq!(world.api.texts(user), expected(user, count, false));
    }
    println!(
        "Telegram was away for {away:.1?}: {all} records were written meanwhile, and told within {:.1?} of its return",
        back.elapsed()
    );
    assert!(all > 10 * PEOPLE, "hardly anybody wrote");
    assert_eq!(shelf.taken_rightly().await, all);
    assert_no_letters(&world);
}

/// Each at a server of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_people_who_race_for_one_record_exactly_one_is_told_yes() {
    const ROUNDS: usize = 200;
    const AT_ONCE: usize = 8;
    let database = PostgresServer::shared().await.database().await;
    let world = two_on(&database).await;
    let mut shelf = Shelf::open(&database).await;
    let name = someone();
    shelf.stock(name, ROUNDS).await;
    let doors = [0, 1].map(|place| Telegram::to([&world.servers[place]]));
    let wins = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let race = async |round: usize| {
        let (code, people) = (code(name, round), [someone(), someone()]);
        let take = |place: usize| Update::text(people[place], &format!("/take {code}"));
        let (first, second) = (take(0), take(1));
        match rand::random() {
            true => drop(tokio::join!(doors[0].deliver(&first), doors[1].deliver(&second))),
            false => drop(tokio::join!(doors[1].deliver(&second), doors[0].deliver(&first))),
        }
        let mut told = Vec::new();
        for user in people {
            world.api.until_sent(user, 1).await;
            told.push(world.api.texts(user));
        }
        let won = told.iter().position(|told| *told == [yours(&code)]);
        let won = won.unwrap_or_else(|| panic!("nobody won: {told:?}"));
        assert_eq!(told[1 - won], [FASTER]);
        wins[won].fetch_add(1, Ordering::Relaxed);
    };
    let runs = (0..AT_ONCE).map(async |run| {
        for round in (run..ROUNDS).step_by(AT_ONCE) {
            race(round).await;
        }
    });
    all_at_once(runs).await;
    println!("{ROUNDS} races for one record over two processes: {wins:?} were told yes");
    world.until_lanes_are_empty(RedisServer::shared()).await;
    assert_eq!(shelf.taken().await, ROUNDS);
    assert_eq!(shelf.effects().await, 2 * ROUNDS);
    assert_no_letters(&world);
}
