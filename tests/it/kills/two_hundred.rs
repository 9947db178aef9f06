//! Two hundred kills under load, at each point of a sending, with an account of what became of every message.
//!
//! Whether a kill met a message is not guessed: what still stands in a lane after the kill, although the dead server had called
//! Telegram with it, was being sent. Only that may come twice. A server sends to many chats side by side, so one kill may meet several
//! messages; but of each chat it has one in hand, and only that comes twice.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Call, Reply};
use crate::support::deaf_proxy::{DeafProxy, Loses};
use crate::support::patience::{all_at_once, until};
use crate::support::redis_server::RedisServer;
use crate::support::server::{Server, Setup};
use crate::support::updates::{Telegram, Update, someone};
use crate::support::world::thanks;

const KILLS: usize = 200;
/// Side by side, each with a Redis of its own, so that the machine is busy while servers start.
const COMPANIES: usize = 4;
/// In each company.
const SERVERS: usize = 3;
/// Who write all the time, in each company.
const PEOPLE: usize = 6;

/// Where in the sending of a message its server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    /// It is committed, and waits in the server's hand for the pace of its chat.
    BeforeSend,
    /// Telegram has it and has not answered.
    AfterSend,
    /// Telegram has answered, and the store does not know.
    BeforeDone,
}

const POINTS: [Point; 3] = [Point::BeforeSend, Point::AfterSend, Point::BeforeDone];

/// A server that was killed, whose message was in its hand, and what stood first in the lanes then.
struct Kill {
    caller: String,
    user: i64,
    at: Instant,
    waiting: Vec<(i64, String)>,
    log_searched: JoinHandle<()>,
}

/// What became of all messages.
#[derive(Debug, Default)]
struct Account {
    kills: usize,
    messages: usize,
    lost: usize,
    repeated: usize,
    disordered: usize,
    /// Kills that met a message at each point.
    met: [usize; 3],
    /// Kills that met any message between its call and its note.
    in_window: usize,
    /// How many messages were being sent by a server when it was killed.
    being_sent: usize,
}

struct Company {
    api: BotApi,
    redis: RedisServer,
    proxy: DeafProxy,
    setup: Setup,
    /// Delivers to all that are alive.
    telegram: Telegram,
}

impl Company {
    async fn meet() -> Self {
        let (api, redis) = (BotApi::start(), RedisServer::start::<&str>(&[]));
        let proxy = DeafProxy::before(redis.port()).await;
        let setup = Setup::redis_at(&api, &proxy.url()).with("TELEGRAM_LIMITS", "chat=40/m");
        let slow = Reply::Slow(Duration::from_millis(30));
        api.rule(move |_| slow);
        Self { api, redis, proxy, setup, telegram: Telegram::default() }
    }

    /// Starts a server that Telegram knows by this name.
    async fn start(&self, name: &str) -> Server {
        let url = format!("{}/{name}", self.api.url());
        let setup = self.setup.clone().with("TELEGRAM_API_URL", &url);
        setup.start_in_a_crowd().await
    }

    /// Somebody writes until it is over; answers who, and how much.
    async fn writes(&self, over: &AtomicBool) -> (i64, usize) {
        let (user, mut count) = (someone(), 0);
        while !over.load(Ordering::Relaxed) {
            let photo = Update::photo(user).captioned(&count.to_string());
            self.telegram.deliver(&photo).await;
            count += 1;
            sleep(Duration::from_millis(rand::random_range(1300..2100))).await;
        }
        (user, count)
    }

    /// Brings a message of a new person to this point at this server; answers who, and how much they wrote.
    async fn bring_to(&self, point: Point, server: &Server) -> (i64, usize) {
        let (user, door) = (someone(), Telegram::to([server]));
        // Three may go at once, the fourth waits for a second and a half.
        let count = if point == Point::BeforeSend { 4 } else { 2 };
        match point {
            Point::BeforeSend => self.api.plan_for(user, [Reply::Ok; 3]),
            Point::AfterSend => self.api.plan_for(user, [Reply::Hang]),
            Point::BeforeDone => self.api.plan_for(user, [Reply::Held]),
        }
        for number in 0..count {
            let photo = Update::photo(user).captioned(&number.to_string());
            door.deliver(&photo).await;
        }
        match point {
            Point::BeforeSend => self.until_only_the_last_waits(user, count).await,
            Point::AfterSend => drop(self.api.until_sent(user, 1).await),
            Point::BeforeDone => {
                self.api.until_sent(user, 1).await;
                let lane = format!("lane:{user}");
                self.proxy.lose_answer_to(&lane, Loses::Request);
                self.api.let_go(user);
                until("the note is lost", async || self.proxy.has_lost().then_some(())).await;
            }
        }
        (user, count)
    }

    /// All but the last are sent, and noted, so that a kill does not meet one of those.
    async fn until_only_the_last_waits(&self, user: i64, count: usize) {
        self.api.until_sent(user, count - 1).await;
        let last = thanks(&(count - 1).to_string());
        until("only the last message waits", async || {
            let lanes = self.redis.first_in_lanes(self.setup.value("REDIS_PREFIX"));
            let mut first = lanes.iter().filter(|(chat, _)| *chat == user);
            first.all(|(_, item)| item.contains(&last)).then_some(())
        })
        .await;
    }

    fn kill(&self, caller: String, mut server: Server, user: i64) -> Kill {
        let at = Instant::now();
        server.end();
        let waiting = self.redis.first_in_lanes(self.setup.value("REDIS_PREFIX"));
        Kill {
            caller,
            user,
            at,
            waiting,
            // It is long, and those who live take over meanwhile.
            log_searched: thread::spawn(move || drop(server)),
        }
    }

    /// Kills one server after the other, each at the next point, while the one that replaces it starts.
    async fn killed_in_turn(
        &self,
        kills: usize,
        over: &AtomicBool,
    ) -> (Vec<Server>, Vec<Kill>, Vec<(i64, usize)>) {
        let (mut servers, mut names) = (VecDeque::new(), 0..);
        let mut name = || names.next().map(|name: usize| name.to_string());
        let mut name = || name().expect("there are enough names");
        while servers.len() < SERVERS {
            let name = name();
            servers.push_back((self.start(&name).await, name));
        }
        let (mut killed, mut met) = (Vec::new(), Vec::new());
        for kill in 0..kills {
            self.telegram.turn_to(servers.iter().map(|(server, _)| server));
            let (victim, caller) = servers.pop_front().expect("a server");
            let point = POINTS[kill % POINTS.len()];
            let (next, strike) = (name(), async {
                let (user, count) = self.bring_to(point, &victim).await;
                met.push((user, count));
                killed.push(self.kill(caller, victim, user));
                self.telegram.turn_to(servers.iter().map(|(server, _)| server));
            });
            let (server, ()) = tokio::join!(self.start(&next), strike);
            servers.push_back((server, next));
        }
        self.telegram.turn_to(servers.iter().map(|(server, _)| server));
        over.store(true, Ordering::Relaxed);
        let alive = servers.into_iter().map(|(server, _)| server).collect();
        (alive, killed, met)
    }

    async fn until_all_is_sent(&self) {
        until("nothing is left to be sent", async || {
            let left = self.redis.left_in_lanes(self.setup.value("REDIS_PREFIX"));
            left.is_empty().then_some(())
        })
        .await;
    }

    async fn play(&self, kills: usize) -> Account {
        let over = AtomicBool::new(false);
        let writers = all_at_once((0..PEOPLE).map(|_| self.writes(&over)));
        let killing = self.killed_in_turn(kills, &over);
        let (writers, (_alive, killed, met)) = tokio::join!(writers, killing);
        self.until_all_is_sent().await;
        let mut account = Account::default();
        for (user, count) in writers.into_iter().chain(met) {
            account.check(&self.api.sent(user), count, &killed);
        }
        for kill in killed {
            account.blame(&kill, &self.api);
            kill.log_searched.join().expect("its log tells nothing");
        }
        account
    }
}

impl Account {
    /// What one person was told, of so many messages.
    fn check(&mut self, sent: &[Call], count: usize, killed: &[Kill]) {
        let mut repeats = HashMap::<&str, usize>::new();
        for two in sent.windows(2).filter(|two| two[0].text() == two[1].text()) {
            self.repeated += 1;
            // Telegram may come to read what the dead one wrote only after its death.
            let guilty = |kill: &Kill| kill.caller == two[0].caller && kill.at < two[1].at;
            let died = killed.iter().find(|kill| kill.caller == two[0].caller);
            let died = died.map(|kill| kill.at);
            assert!(killed.iter().any(guilty), "nobody was killed in it: {two:#?}, {died:?}");
            let repeats = repeats.entry(&two[0].caller).or_default();
            *repeats += 1;
            assert_eq!(*repeats, 1, "of one kill, in one chat: {two:#?}");
        }
        let mut told: Vec<&str> = sent.iter().map(Call::text).collect();
        told.dedup();
        let expected: Vec<String> = (0..count).map(|n| thanks(&n.to_string())).collect();
        let is_lost = |text: &&String| !told.contains(&text.as_str());
        self.lost += expected.iter().filter(is_lost).count();
        self.disordered += usize::from(told != expected);
        self.messages += count;
    }

    /// What a kill met.
    fn blame(&mut self, kill: &Kill, api: &BotApi) {
        let (mut met, mut being_sent) = ([false; 3], 0);
        for (chat, item) in &kill.waiting {
            let sent = api.sent(*chat);
            let mut calls = sent.iter().filter(|call| item.contains(call.text()));
            let point = match calls.rfind(|call| call.caller == kill.caller) {
                Some(call) if call.answered.is_some_and(|at| at < kill.at) => Point::BeforeDone,
                Some(_) => Point::AfterSend,
                None if *chat == kill.user => Point::BeforeSend,
                // In the hand of somebody who lives.
                None => continue,
            };
            met[point as usize] = true;
            being_sent += usize::from(point != Point::BeforeSend);
        }
        for (count, met) in self.met.iter_mut().zip(met) {
            *count += usize::from(met);
        }
        self.kills += 1;
        self.in_window += usize::from(being_sent > 0);
        self.being_sent += being_sent;
    }

    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.messages += other.messages;
        self.lost += other.lost;
        self.repeated += other.repeated;
        self.disordered += other.disordered;
        self.in_window += other.in_window;
        self.being_sent += other.being_sent;
        for (count, more) in self.met.iter_mut().zip(other.met) {
            *count += more;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_kills_under_load_lose_nothing_and_repeat_only_what_was_being_sent() {
    let began = Instant::now();
    let companies = (0..COMPANIES).map(async |_| {
        let company = Company::meet().await;
        company.play(KILLS / COMPANIES).await
    });
    let mut all = Account::default();
    for account in all_at_once(companies).await {
        all.add(&account);
    }
    let [before_send, after_send, before_done] = all.met;
    println!(
        "{} kills in {:.0?}, of which {before_send} met a message before it was sent, {after_send} before the answer, \
         {before_done} before the note; {} messages: {} lost, {} repeated of {} that were being sent at {} kills, {} chats out of order",
        all.kills,
        began.elapsed(),
        all.messages,
        all.lost,
        all.repeated,
        all.being_sent,
        all.in_window,
        all.disordered,
    );
    assert_eq!(all.kills, KILLS);
    assert_eq!((all.lost, all.disordered), (0, 0));
    assert!(all.repeated <= all.being_sent);
    for met in all.met {
        assert!(met >= KILLS / 10, "hardly any kill met this point: {all:?}");
    }
}
