//! Telegram's limits, kept by all replicas together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use steadfast::config::{Config, Declared, Mode};
use steadfast::store::{After, Clock, Limits, Memory, Pace, Store as _, Token};
use tokio::time::sleep;

use crate::support::bed::{item, messages};
use crate::support::bot_api::{BotApi, Call, Limit, TOKEN, most_within};
use crate::support::company::{Company, OFFICE};
use crate::support::patience::all_at_once;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, someone};
use crate::support::world::{World, thanks};

const SECOND: Duration = Duration::from_secs(1);

async fn three(limits: &str) -> World {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("TELEGRAM_LIMITS", limits);
    World::raise(api, setup, 3).await
}

fn refused(calls: &[Call]) -> usize {
    calls.iter().filter(|call| !call.arrived()).count()
}

/// The replicas stay so far below the limit of the bot. A machine that stands still for no longer than a third of what that is in time
/// cannot bring them over it: the server, its store and the Bot API each may have stood still for so long.
const MARGIN: f64 = 0.16;

/// Finds out how long this machine leaves somebody waiting who has something to do. A Bot API that was left waiting finds calls side by
/// side that were made one after the other.
struct Watch {
    is_over: Arc<AtomicBool>,
    longest: JoinHandle<Duration>,
}

impl Watch {
    fn begin() -> Self {
        let is_over = Arc::<AtomicBool>::default();
        let over = Arc::clone(&is_over);
        let longest = thread::spawn(move || {
            let mut longest = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                let (before, nap) = (Instant::now(), Duration::from_millis(5));
                thread::sleep(nap);
                longest = longest.max(before.elapsed() - nap);
            }
            longest
        });
        Self { is_over, longest }
    }

    /// For how long this machine stood still at most.
    fn end(self) -> Duration {
        self.is_over.store(true, Ordering::Relaxed);
        self.longest.join().expect("a watch")
    }

    /// Every call of these was within the limit, as far as this machine can tell. However long it stands still, all of them together
    /// take as long as the limit allows: several limiters that know nothing of each other would not.
    fn assert_within(self, calls: &[Call], limit: usize) {
        let stalled = self.end();
        let (most, refused) = (most_within(calls, SECOND), refused(calls));
        let last = calls.last().expect("a call").at - calls[0].at;
        println!(
            "{} calls in {last:.1?}, at most {most} of {limit} within a second, {refused} refused; the machine stood still for up to {stalled:.0?}",
            calls.len()
        );
        if stalled <= SECOND.mul_f64(MARGIN) / 3 {
            assert_eq!((refused, most.max(limit)), (0, limit));
        }
        let tolerated = (SECOND + stalled * 3).as_secs_f64();
        let tolerated = (limit as f64 * tolerated).ceil() as usize;
        assert!(most <= tolerated, "{most} within a second");
        let least = SECOND.mul_f64((calls.len() - 1) as f64 / limit as f64);
        assert!(last + stalled >= least, "{last:?} is too short");
    }
}

/// Everybody writes twice at once. The Bot API enforces what the replicas are told, and never has to.
#[tokio::test]
async fn three_replicas_and_three_hundred_chats_stay_within_the_limits() {
    const CHATS: usize = 300;
    const BOT: usize = 30;
    let world = three("global=30/s,chat=1/s").await;
    let watch = Watch::begin();
    let three_a_second = Limit::chat(3, SECOND);
    world.api.limit([Limit::bot(BOT), three_a_second]);
    let people: Vec<i64> = (0..CHATS).map(|_| someone()).collect();
    let plays = people.iter().map(async |user| {
        for caption in ["one", "two"] {
            world.deliver(Update::photo(*user).captioned(caption)).await;
        }
    });
    all_at_once(plays).await;
    for user in &people {
        world.api.until_sent(*user, 2).await;
        assert_eq!(world.api.texts(*user), ["one", "two"].map(thanks));
    }

    let calls = world.api.calls();
    // Where records take long, a chat may be shown that something happens.
    let (shown, messages): (Vec<&Call>, Vec<&Call>) = calls
        .iter()
        .filter(|call| call.arrived())
        .partition(|call| call.method == "sendchataction");
    let arrived = messages.len();
    println!("{arrived} messages, and {} courtesies", shown.len());
    assert_eq!(arrived, 2 * CHATS, "each message was sent once");
    watch.assert_within(&calls, BOT);
    let asked = "steadfast_store_op_duration_seconds_count";
    let asked = world.total(asked, &["op=\"grant\""]).await as usize;
    println!("{arrived} sendings were fetched from the store by {asked} calls");
}

/// Those who are in the middle of something are told by one replica while others write to another one. Each sends five a second.
#[tokio::test]
async fn a_broadcast_of_one_replica_does_not_hold_up_the_replies_of_another() {
    const NOTICE: &str = "We are moving house";
    const EVERYONE: usize = 40;
    const REPLIES: usize = 20;
    let mut world = three("off").await;
    let users: Vec<i64> = (0..EVERYONE).map(|_| someone()).collect();
    all_at_once(users.iter().map(|user| world.asked_for_caption(*user))).await;
    let setup = world.setup.clone().with("TELEGRAM_LIMITS", "global=5/s");
    world.servers = vec![setup.start().await, setup.start().await];
    world.telegram.turn_to(&world.servers[1..]);
    let (code, said) = world.command(&["broadcast", "--active", NOTICE]);
    assert_eq!(code, 0, "{said}");
    let people: Vec<i64> = (0..REPLIES).map(|_| someone()).collect();
    let writes = people.iter().map(|user| world.deliver(Update::photo(*user).captioned("hello")));
    all_at_once(writes).await;
    // Until then nobody had to wait for a reply.
    let written = Instant::now();
    for user in &people {
        world.api.until_sent(*user, 1).await;
    }
    let calls = world.api.calls();
    let is_reply = |call: &&Call| people.contains(&call.chat());
    let first = calls.iter().position(|call| is_reply(&call));
    let last = calls.iter().rposition(|call| is_reply(&call));
    let meanwhile = &calls[first.expect("a reply")..last.expect("a reply")];
    let notices = meanwhile.iter().filter(|call| call.at > written);
    let notices = notices.filter(|call| call.text() == NOTICE);
    let notices = notices.count();
    println!("{notices} of {EVERYONE} notices went out among {REPLIES} replies");
    assert!(notices < REPLIES / 2, "{notices} notices went before replies");
    for user in &users {
        world.api.until_said(*user, NOTICE).await;
    }
}

/// One chat that much is said to takes its time.
#[tokio::test]
async fn a_chat_that_much_is_said_to_keeps_its_pace_and_its_order() {
    const MESSAGES: usize = 8;
    let world = three("global=100/s,chat=1/s").await;
    world.api.limit([Limit::chat(3, SECOND)]);
    let (busy, other, watch) = (someone(), someone(), Watch::begin());
    let captions: Vec<String> = (0..MESSAGES).map(|number| number.to_string()).collect();
    for caption in &captions {
        world.deliver(Update::photo(busy).captioned(caption)).await;
    }
    world.deliver(Update::photo(other).captioned("at once")).await;
    world.api.until_sent(other, 1).await;
    world.api.until_sent(busy, MESSAGES).await;
    let expected: Vec<String> = captions.iter().map(|caption| thanks(caption)).collect();
    assert_eq!(world.api.texts(busy), expected);
    // It comes to one message in 1.2 seconds after the first three.
    if watch.end() <= Duration::from_millis(60) {
        assert_eq!(refused(&world.api.calls()), 0);
        assert!(most_within(&world.api.sent(busy), SECOND) <= 3);
    }
}

#[tokio::test]
async fn a_group_keeps_to_its_own_limit() {
    const MESSAGES: usize = 12;
    let world = three("global=100/s,chat=50/s,group=5/s").await;
    world.api.limit([Limit::group(5, SECOND)]);
    let (user, group, watch) = (someone(), -someone(), Watch::begin());
    for number in 0..MESSAGES {
        let photo = Update::photo(user).captioned(&number.to_string());
        world.deliver(photo.in_group(group)).await;
    }
    world.api.until_sent(group, MESSAGES).await;
    let expected: Vec<String> = (0..MESSAGES).map(|n| thanks(&n.to_string())).collect();
    assert_eq!(world.api.texts(group), expected);
    if watch.end() <= Duration::from_millis(60) {
        assert_eq!(refused(&world.api.calls()), 0);
        assert!(most_within(&world.api.sent(group), SECOND) <= 5);
    }
}

/// A replica that sent nothing for a while has nothing saved up.
#[tokio::test]
async fn replicas_that_wake_up_together_do_not_burst() {
    const BOT: usize = 20;
    let world = three("global=20/s").await;
    world.api.limit([Limit::bot(BOT)]);
    let watch = Watch::begin();
    let greet = async |count: usize| {
        let people: Vec<i64> = (0..count).map(|_| someone()).collect();
        let plays = people.iter().map(async |user| {
            world.deliver(Update::photo(*user).captioned("hello")).await;
            world.api.until_sent(*user, 1).await;
        });
        all_at_once(plays).await;
    };
    for _ in 0..3 {
        greet(3).await;
    }
    sleep(SECOND).await;
    greet(60).await;
    watch.assert_within(&world.api.calls(), BOT);
}

/// A server that is stopped while many lanes wait for the limit does not wait with them; the next one goes on.
#[tokio::test]
async fn a_stop_does_not_wait_for_the_limit() {
    let mut world = three("global=1/s").await;
    let people: Vec<i64> = (0..60).map(|_| someone()).collect();
    for user in &people {
        world.deliver(Update::photo(*user).captioned("hello")).await;
    }
    let before = world.api.calls().len();
    assert!(before < people.len(), "the limit does not hold");
    for server in world.servers.drain(..) {
        server.stop().await;
    }
    let meanwhile = world.api.calls().len() - before;
    assert!(meanwhile < 30, "{meanwhile} messages were waited for");
    let setup = world.setup.clone().with("TELEGRAM_LIMITS", "global=100/s");
    world.servers.push(setup.start().await);
    for user in people {
        world.api.until_sent(user, 1).await;
        assert_eq!(world.api.texts(user), [thanks("hello")]);
    }
}

/// Everybody's question is told to the one dispatcher, who can be told something every ten seconds only. Nobody waits with them.
#[tokio::test]
async fn three_hundred_people_are_answered_long_before_their_dispatcher_has_heard_them_all() {
    const PEOPLE: usize = 300;
    let slow = Pace { every: 10 * SECOND, burst: 3 };
    let limits = Limits { chat: Some(slow), ..Limits::default() };
    let company = Company::meet_at(Arc::new(Memory::new().with_limits(limits))).await;
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    all_at_once(people.iter().map(|user| company.hear(*user, "/say tell it"))).await;
    for user in &people {
        company.api.until_said(*user, "Told.").await;
    }
    let heard = company.api.sent(OFFICE).len();
    println!("{PEOPLE} people were answered when their dispatcher had heard {heard} of them");
    assert!(heard < PEOPLE / 10, "{heard}");
    assert!(heard > 0 || company.api.until_sent(OFFICE, 1).await.len() == 1);
}

/// As the limits are when nobody says anything: never more than twenty to a group within a minute, and no fewer than can be.
#[tokio::test]
async fn a_group_hears_no_more_than_twenty_messages_in_any_minute() {
    const MESSAGES: usize = 60;
    const GROUP: i64 = -5;
    let time = Arc::new(AtomicU64::new(1_800_000_000_000));
    let clock = Arc::clone(&time);
    let clock = Clock::new(move || clock.load(Ordering::Relaxed));
    let environment = |name: &str| (name == "BOT_TOKEN").then(|| TOKEN.to_owned());
    let config = Config::<()>::read(&environment, Mode::Poll, &Declared::default());
    let limits = config.expect("a configuration").server.telegram.limits;
    let store = Memory::with_clock(clock).with_limits(limits);
    let (lane, token) = (messages(GROUP), Token::fresh());
    for number in 0..MESSAGES {
        let pushed = store.push(lane, token, &item(number.to_string())).await;
        pushed.expect("a place in the lane");
    }
    let (mut sent, mut wait) = (Vec::new(), Duration::ZERO);
    for number in 0..MESSAGES {
        let passed = wait.as_micros().div_ceil(1000) as u64;
        sent.push(time.fetch_add(passed, Ordering::Relaxed) + passed);
        let done = store.done(lane, token, &number.to_string(), None).await;
        match done.expect("the lane is ours") {
            After::Next(head) => wait = head.wait,
            after => assert_eq!((after, number), (After::Empty, MESSAGES - 1)),
        }
    }
    let within =
        |first: &u64| sent.iter().filter(|at| (*first..first + 60_000).contains(at)).count();
    let most = sent.iter().map(within).max();
    assert_eq!(most, Some(20), "{sent:?}");
}
