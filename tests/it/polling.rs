//! Long polling: one replica asks, by lease; nothing is confirmed that is not kept, and nobody fights over it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use steadfast::intake::poll;
use steadfast::intake::update::UpdateParser;
use steadfast::intake::webhook::{Limits, Secrets, Webhook};
use steadfast::outbox::telegram::Telegram;
use steadfast::store::{Cause, Clock, Memory, Store, Token};
use steadfast::turn::Event;
use steadfast::turn::{Outcome, OutcomeKind, TurnError};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::service_fn;
use tower::util::BoxCloneSyncService;

use crate::support::bed::Bed;
use crate::support::bot_api::{BotApi, Call, Registered, Reply, TOKEN};
use crate::support::metrics::Metrics;
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Server, Setup, logged};
use crate::support::updates::{Update, someone};
use crate::support::watched::{Fault, Watched};
use crate::support::world::thanks;

const POLLS: &str = "this replica polls for updates";

/// Servers that poll, over one store.
async fn pollers(count: usize) -> (BotApi, Setup, Vec<Server>) {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).polling();
    let mut servers = Vec::new();
    for _ in 0..count {
        servers.push(setup.start().await);
    }
    (api, setup, servers)
}

fn says(api: &BotApi, user: i64, caption: &str) {
    api.queue(&Update::photo(user).captioned(caption).body());
}

/// Waits until everything is confirmed.
async fn until_confirmed(api: &BotApi) {
    until("every update is confirmed", async || (api.queued() == 0).then_some(())).await;
}

/// Waits until the person has a message, and that is noted: what is not noted is sent again.
async fn until_settled(api: &BotApi, setup: &Setup, user: i64) {
    api.until_sent(user, 1).await;
    until("the message is noted", async || {
        let left = RedisServer::shared().left_in_lanes(setup.value("REDIS_PREFIX"));
        left.is_empty().then_some(())
    })
    .await;
}

/// The place of the one that polls.
async fn holder(servers: &[Server]) -> usize {
    until("one of them polls", async || {
        let is_polling = |server: &Server| logged(&server.log(), POLLS).count() > 0;
        servers.iter().position(is_polling)
    })
    .await
}

#[tokio::test]
async fn of_two_pollers_one_asks_and_everything_arrives_in_order() {
    let (api, _setup, servers) = pollers(2).await;
    let people: Vec<i64> = (0..20).map(|_| someone()).collect();
    for caption in ["one", "two", "three"] {
        for user in &people {
            says(&api, *user, caption);
        }
    }
    for user in &people {
        api.until_sent(*user, 3).await;
        assert_eq!(api.texts(*user), ["one", "two", "three"].map(thanks));
    }
    until_confirmed(&api).await;
    let polls = api.calls_of("getUpdates");
    let is_long = |call: &Call| call.params["timeout"] == 5;
    assert!(polls.iter().all(is_long), "nobody waits at Telegram");
    let polling = servers.iter().filter(|server| logged(&server.log(), POLLS).count() > 0);
    assert_eq!(polling.count(), 1);
    assert_eq!(api.conflicts(), 0);
}

#[tokio::test]
async fn when_the_one_that_polls_is_killed_the_other_goes_on() {
    let (api, setup, mut servers) = pollers(2).await;
    let user = someone();
    says(&api, user, "one");
    until_settled(&api, &setup, user).await;
    let place = holder(&servers).await;
    let killed = Instant::now();
    servers.remove(place).kill();
    says(&api, user, "two");
    let sent = api.until_sent(user, 2).await;
    println!("the other went on {:.1?} later", sent[1].at - killed);
    until_confirmed(&api).await;
    assert_eq!(api.texts(user), ["one", "two"].map(thanks));
}

#[tokio::test]
async fn when_the_one_that_polls_is_stopped_the_other_goes_on_at_once() {
    let (api, _setup, mut servers) = pollers(2).await;
    let user = someone();
    says(&api, user, "one");
    api.until_sent(user, 1).await;
    let place = holder(&servers).await;
    servers.remove(place).stop().await;
    says(&api, user, "two");
    api.until_sent(user, 2).await;
    until_confirmed(&api).await;
    assert_eq!(api.texts(user), ["one", "two"].map(thanks));
    assert_eq!(api.calls_of("deleteWebhook").len(), 0);
}

/// It is frozen beyond its lease, with a question under way; the other takes over. When it goes on, it neither applies nor
/// confirms anything, and the two do not interrupt each other again and again.
#[tokio::test]
async fn one_that_slept_beyond_its_lease_does_no_harm() {
    let (api, setup, servers) = pollers(2).await;
    let user = someone();
    says(&api, user, "one");
    until_settled(&api, &setup, user).await;
    let sleeper = holder(&servers).await;
    servers[sleeper].freeze();
    for caption in ["two", "three"] {
        says(&api, user, caption);
    }
    api.until_sent(user, 3).await;
    until_confirmed(&api).await;
    servers[sleeper].thaw();
    let awake = api.calls_of("getUpdates").len();
    for caption in ["four", "five", "six"] {
        says(&api, user, caption);
        sleep(Duration::from_millis(300)).await;
    }
    api.until_sent(user, 6).await;
    until_confirmed(&api).await;
    let captions = ["one", "two", "three", "four", "five", "six"];
    assert_eq!(api.texts(user), captions.map(thanks));
    let polls = api.calls_of("getUpdates");
    assert!(offsets(&polls[awake..]).is_sorted(), "no stale confirmation");
    assert!(api.conflicts() <= 1, "{} conflicts", api.conflicts());
}

fn offsets(polls: &[Call]) -> Vec<i64> {
    let offset = |call: &Call| call.params["offset"].as_i64();
    polls.iter().filter_map(offset).collect()
}

/// The store does not answer: nothing is confirmed, nothing is asked for again and again, and then all is taken.
#[tokio::test]
async fn what_could_not_be_kept_is_not_confirmed() {
    let redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let server = Setup::redis(&api, &redis).polling().start().await;
    let user = someone();
    says(&api, user, "one");
    api.until_sent(user, 1).await;
    until_confirmed(&api).await;
    redis.freeze();
    says(&api, user, "two");
    sleep(Duration::from_secs(3)).await;
    assert_eq!(api.queued(), 1);
    redis.thaw();
    api.until_sent(user, 2).await;
    until_confirmed(&api).await;
    assert_eq!(api.texts(user), ["one", "two"].map(thanks));
    drop(server);
}

/// A webhook of an earlier life is in the way of whoever wants to poll.
#[tokio::test]
async fn a_webhook_that_is_in_the_way_is_deleted_once() {
    let api = BotApi::start();
    api.set_webhook(Some(Registered {
        url: "https://old.example.org/".to_owned(),
        secret: String::new(),
        max_connections: 40,
        allowed: Vec::new(),
    }));
    let setup = Setup::redis(&api, RedisServer::shared()).polling();
    // The address of a deployment with a webhook does no harm here.
    let setup = setup.with("WEBHOOK_URL", "https://bot.example.org");
    let _servers = [setup.start().await, setup.start().await];
    let user = someone();
    says(&api, user, "one");
    api.until_sent(user, 1).await;
    assert_eq!(api.calls_of("deleteWebhook").len(), 1);
    assert_eq!(api.calls_of("setWebhook").len(), 0);
}

/// Polling fails in every way there is, and goes on.
#[tokio::test]
async fn questions_that_fail_are_asked_again() {
    let (api, _setup, servers) = pollers(1).await;
    let user = someone();
    let polls = std::sync::atomic::AtomicUsize::new(0);
    api.rule(move |call| {
        if call.method != "getupdates" {
            return Reply::Ok;
        }
        let fails =
            [Reply::Fail(502), Reply::Reset, Reply::Garbage, Reply::Truncated, Reply::TooMany(1)];
        let poll = polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        fails.get(poll).copied().unwrap_or(Reply::Ok)
    });
    says(&api, user, "one");
    says(&api, user, "two");
    api.until_sent(user, 2).await;
    until_confirmed(&api).await;
    assert_eq!(api.texts(user), ["one", "two"].map(thanks));
    let log = servers[0].log();
    let told = logged(&log, "no updates could be got");
    assert_eq!(told.count(), 5, "of each failure");
}

/// All that came while nobody asked: Telegram writes each of these letters with six bytes, and shows a hundred updates at once.
#[tokio::test]
async fn long_messages_of_a_long_outage_are_taken_all_at_once() {
    let api = BotApi::start();
    let people: Vec<i64> = (0..50).map(|_| someone()).collect();
    for user in &people {
        api.queue(&Update::text(*user, &"я".repeat(4096)).body());
    }
    let setup = Setup::redis(&api, RedisServer::shared()).polling();
    let _server = setup.start().await;
    until_confirmed(&api).await;
}

/// A press is answered, and one that is repeated is answered again.
#[tokio::test]
async fn presses_are_answered() {
    let (api, _setup, _servers) = pollers(1).await;
    let user = someone();
    api.queue(&Update::photo(user).body());
    let question = api.until_sent(user, 1).await.remove(0);
    let press = question.button("No caption");
    api.queue(&Update::press(user, &press).body());
    api.until_called("answerCallbackQuery", 1).await;
    api.queue(&Update::press(user, &press).body());
    let answers = api.until_called("answerCallbackQuery", 2).await;
    assert_eq!(answers[1].params["text"], "This button is no longer active.");
    api.until_sent(user, 2).await;
    until_confirmed(&api).await;
}

/// Its chat has been told to wait for ten minutes, and there are messages in its lane. Whoever presses sees at once that they did.
#[tokio::test]
async fn a_press_is_answered_while_its_chat_is_to_wait() {
    let (api, _setup, _servers) = pollers(1).await;
    let user = someone();
    api.queue(&Update::photo(user).body());
    let question = api.until_sent(user, 1).await.remove(0);
    api.plan_for(user, [Reply::TooMany(600)]);
    says(&api, user, "later");
    api.until_called("sendMessage", 2).await;
    let press = question.button("No caption");
    api.queue(&Update::press(user, &press).body());
    api.until_called("answerCallbackQuery", 1).await;
    until_confirmed(&api).await;
    assert_eq!(api.sent(user).len(), 1, "nothing is sent meanwhile");
}

/// Questions and answers of every kind, and the waits of a chat and of a group.
#[tokio::test]
async fn every_call_and_every_wait_of_delivery_is_counted_where_it_happens() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).polling();
    let setup = setup.with("TELEGRAM_LIMITS", "global=100/s,chat=2/s,group=4/s");
    let server = setup.start().await;
    let (user, group) = (someone(), -someone());
    api.queue(&Update::photo(user).body());
    let question = api.until_sent(user, 1).await.remove(0);
    api.queue(&Update::press(user, &question.button("No caption")).body());
    api.until_called("answerCallbackQuery", 1).await;
    for number in 0..6 {
        let photo = || Update::photo(user).captioned(&number.to_string());
        api.queue(&photo().body());
        api.queue(&photo().in_group(group).body());
    }
    api.until_sent(user, 8).await;
    api.until_sent(group, 6).await;
    until_confirmed(&api).await;
    let calls = |metrics: &Metrics, method: &str| {
        let labels = [format!("method=\"{method}\""), "result=\"ok\"".to_owned()];
        let labels = labels.each_ref().map(String::as_str);
        metrics.sum("steadfast_telegram_calls_total", &labels)
    };
    // A call counts when it is over, which is after it has come.
    let metrics = until("every message is counted", async || {
        let metrics = server.metrics().await;
        (calls(&metrics, "sendMessage") >= 14.0).then_some(metrics)
    })
    .await;
    for method in ["getUpdates", "answerCallbackQuery", "getMe"] {
        assert!(calls(&metrics, method) >= 1.0, "{method}");
    }
    let sent = ["method=\"sendMessage\""];
    let measured = metrics.sum("steadfast_telegram_call_duration_seconds_count", &sent);
    assert!(measured >= 14.0, "{measured}");
    for scope in ["chat", "group", "global"] {
        let label = format!("scope=\"{scope}\"");
        let waits = metrics.sum("steadfast_ratelimit_wait_seconds_count", &[&label]);
        assert!(waits >= 1.0, "{scope}");
    }
}

/// A pipeline that keeps every turn until it is let go, and knows how many it has.
#[derive(Debug, Clone, Default)]
struct Pen {
    inside: Arc<Mutex<Vec<(i64, i64)>>>,
    came: Arc<Mutex<Vec<i64>>>,
    /// Nothing is kept: everything is too old.
    is_late: bool,
    open: Arc<Mutex<BTreeSet<i64>>>,
    gate: Arc<Notify>,
}

impl Pen {
    /// The turns inside: chat and update.
    fn inside(&self) -> Vec<(i64, i64)> {
        let mut inside = self.inside.lock().expect("the pen").clone();
        inside.sort_unstable();
        inside
    }

    /// Everything that came, in order.
    fn came(&self) -> Vec<i64> {
        self.came.lock().expect("the pen").clone()
    }

    /// Waits until these turns are inside, and no others.
    async fn until_inside(&self, expected: &[(i64, i64)]) {
        until(format!("{expected:?} are in hand"), async || {
            (self.inside() == expected).then_some(())
        })
        .await;
    }

    /// Lets these updates go.
    fn let_go(&self, updates: impl IntoIterator<Item = i64>) {
        self.open.lock().expect("the gate").extend(updates);
        self.gate.notify_waiters();
    }

    async fn keep(self, incoming: Event) -> Result<Outcome, TurnError> {
        let Cause::Update(id) = incoming.cause else {
            panic!("an update");
        };
        let (chat, id) = (incoming.key.chat, i64::from(id));
        self.came.lock().expect("the pen").push(id);
        if self.is_late {
            return Err(TurnError::TooOld);
        }
        self.inside.lock().expect("the pen").push((chat, id));
        loop {
            let gate = self.gate.notified();
            if self.open.lock().expect("the gate").contains(&id) {
                break;
            }
            gate.await;
        }
        self.inside.lock().expect("the pen").retain(|it| it.1 != id);
        Ok(Outcome {
            outcome: OutcomeKind::Applied,
            edges: Vec::new(),
            attempts: 1,
            toast: String::new(),
        })
    }
}

/// A poller in this process, before that pen.
fn poll_into(api: &BotApi, pen: &Pen) -> CancellationToken {
    poll_on(Arc::new(Memory::new()), api, pen)
}

/// The same, on this store.
fn poll_on(store: Arc<dyn Store>, api: &BotApi, pen: &Pen) -> CancellationToken {
    poll_at(&api.url(), store, pen).0
}

/// The same, at this address of the Bot API; with what ends when it has stopped.
fn poll_at(url: &str, store: Arc<dyn Store>, pen: &Pen) -> (CancellationToken, JoinHandle<()>) {
    let pen = pen.clone();
    let pipeline = BoxCloneSyncService::new(service_fn(move |incoming| pen.clone().keep(incoming)));
    let hook = Webhook::new(
        Secrets::new(&[]),
        UpdateParser::default(),
        Arc::clone(&store),
        pipeline,
        Limits::default(),
    );
    let telegram = Telegram::new(url, &TOKEN.into());
    let stop = CancellationToken::new();
    let polls = tokio::spawn(poll::poll(hook, store, telegram, stop.clone()));
    (stop, polls)
}

/// Updates of one chat one by one, those of others meanwhile; the lowest that is not finished is what is asked for, and what was
/// finished beyond it is not dealt with again.
#[tokio::test]
async fn one_update_of_a_chat_is_in_hand_and_others_side_by_side() {
    let (api, pen) = (BotApi::start(), Pen::default());
    let (ann, bob) = (someone(), someone());
    let queue = |number: u32, user| api.queue(&Update::photo(user).numbered(number).body());
    for (number, user) in [(5, ann), (6, ann), (7, bob), (8, bob)] {
        queue(number, user);
    }
    let stop = poll_into(&api, &pen);
    pen.until_inside(&[(ann, 5), (bob, 7)]).await;
    pen.let_go([7]);
    pen.until_inside(&[(ann, 5), (bob, 8)]).await;
    pen.let_go([8]);
    pen.until_inside(&[(ann, 5)]).await;

    // While the first takes its time, others are heard, and Telegram is not asked without end.
    let asked = api.calls_of("getUpdates").len();
    queue(9, bob);
    pen.until_inside(&[(ann, 5), (bob, 9)]).await;
    sleep(Duration::from_secs(2)).await;
    let again = api.calls_of("getUpdates").len() - asked;
    assert!(again < 20, "it asked {again} times");
    assert!(offsets(&api.calls_of("getUpdates")).iter().all(|offset| *offset == 5));
    pen.let_go([5, 6, 9]);
    until_confirmed(&api).await;
    let came = pen.came();
    assert_eq!(came.len(), 5, "each came once: {came:?}");
    stop.cancel();
}

/// The lease cannot be renewed once. What waits in line is let go then, and what it waits for is finished before the next look.
#[tokio::test]
async fn what_waited_behind_another_when_the_store_was_away_is_asked_for_again() {
    let (api, pen) = (BotApi::start(), Pen::default());
    let (ann, bob) = (someone(), someone());
    for (number, user) in [(5, ann), (6, ann), (7, bob)] {
        api.queue(&Update::photo(user).numbered(number).body());
    }
    let store = Arc::new(Watched::new(Arc::new(Memory::new())));
    let stop = poll_on(Arc::clone(&store) as _, &api, &pen);
    pen.until_inside(&[(ann, 5), (bob, 7)]).await;
    let (first, done) = (pen.clone(), pen.clone());
    store.before("lease", async {});
    store.before("lease", async move {
        first.let_go([5, 7]);
        while !first.inside().is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
        // The poller is told a moment later than the pen.
        sleep(Duration::from_millis(100)).await;
    });
    store.fail("lease", Fault::Before, 1);
    done.until_inside(&[(ann, 6)]).await;
    done.let_go([6]);
    until_confirmed(&api).await;
    // Nothing is left, so there is nothing to ask for again and again.
    let asked = api.calls_of("getUpdates").len();
    sleep(Duration::from_secs(2)).await;
    let again = api.calls_of("getUpdates").len() - asked;
    assert!(again < 10, "it asked {again} times");
    stop.cancel();
}

/// It had an update in hand that it could not deal with. Another one has the lease by now, and goes on with it alone.
#[tokio::test]
async fn what_a_frozen_poller_had_in_hand_is_left_to_the_one_that_took_over() {
    let time = Arc::new(AtomicU64::new(1_800_000_000_000));
    let clock = Arc::clone(&time);
    let clock = Clock::new(move || clock.load(Ordering::Relaxed));
    let store: Arc<dyn Store> = Arc::new(Memory::with_clock(clock));
    let (api, ann) = (BotApi::start(), someone());
    api.queue(&Update::photo(ann).numbered(5).body());
    let late = Pen { is_late: true, ..Pen::default() };
    let frozen = Arc::new(Watched::new(Arc::clone(&store)));
    let first = poll_on(Arc::clone(&frozen) as _, &api, &late);
    until("it is tried again", async || (late.came().len() > 1).then_some(())).await;
    frozen.fail("lease", Fault::Before, usize::from(u16::MAX));
    time.fetch_add(11_000, Ordering::Relaxed);
    let pen = Pen::default();
    let second = poll_on(store, &api, &pen);
    pen.until_inside(&[(ann, 5)]).await;
    // Whatever was on its way is over.
    sleep(Duration::from_secs(3)).await;
    let tried = late.came().len();
    sleep(Duration::from_secs(3)).await;
    assert_eq!(late.came().len(), tried, "it is still tried by both");
    pen.let_go([5]);
    until_confirmed(&api).await;
    first.cancel();
    second.cancel();
}

/// Its question was under way for as long as its lease lasts: what came belongs to whoever has the lease by now, so it is asked for anew.
#[tokio::test]
async fn what_comes_to_a_poller_after_its_lease_is_not_taken() {
    let (api, pen, ann) = (BotApi::start(), Pen::default(), someone());
    api.plan_of("getUpdates", [Reply::Slow(Duration::from_secs(11))]);
    api.queue(&Update::photo(ann).numbered(5).body());
    let stop = poll_into(&api, &pen);
    let asked = api.until_called("getUpdates", 2).await;
    assert!(offsets(&asked[..2]).is_empty(), "nothing is in hand");
    pen.until_inside(&[(ann, 5)]).await;
    pen.let_go([5]);
    until_confirmed(&api).await;
    assert_eq!(pen.came(), [5]);
    stop.cancel();
}

/// Whoever had the lease next would ask at once.
#[tokio::test]
async fn nobody_asks_while_the_one_that_polls_is_told_to_wait() {
    const SECONDS: u64 = 14;
    let (api, store) = (BotApi::start(), Arc::new(Memory::new()));
    api.plan_of("getUpdates", [Reply::TooMany(SECONDS)]);
    let pens = [Pen::default(), Pen::default()];
    let stops = pens.each_ref().map(|pen| {
        let store = Arc::clone(&store) as Arc<dyn Store>;
        poll_on(store, &api, pen)
    });
    let asked = api.until_called("getUpdates", 2).await;
    let waited = asked[1].at - asked[0].at;
    assert!(waited >= Duration::from_secs(SECONDS), "{waited:?}");
    for stop in stops {
        stop.cancel();
    }
}

/// Others need not wait for one that has stopped, and not for longer than ten seconds for one that is gone.
#[tokio::test]
async fn the_lease_on_polling_is_short_and_given_back() {
    let (api, bed) = (BotApi::start(), Bed::memory().await);
    let store = Arc::clone(&bed.store);
    let (stop, polls) = poll_at(&api.url(), store, &Pen::default());
    api.until_called("getUpdates", 1).await;
    let other = Token::fresh();
    let take = async || {
        let lease = bed.lease("poller", other, Duration::from_secs(10));
        lease.await.expect("an answer")
    };
    assert_eq!(take().await, None, "it is taken");
    stop.cancel();
    polls.await.expect("it stops");
    assert!(take().await.is_some(), "it was given back");
    bed.release("poller", other).await.expect("given back");
    let (_, polls) = poll_at(&api.url(), Arc::clone(&bed.store), &Pen::default());
    until("it polls again", async || take_by_none(&bed).await).await;
    polls.abort();
    bed.advance(Duration::from_secs(10));
    assert!(take().await.is_some(), "it has run out");
}

/// So the next one polls a second, at most, after the lease of one that is gone has run out. The time is that of the runtime.
#[tokio::test(start_paused = true)]
async fn whoever_does_not_poll_looks_every_second_whether_the_lease_is_free() {
    let store = Arc::new(Watched::new(Arc::new(Memory::new())));
    let (other, hour) = (Token::fresh(), Duration::from_secs(3600));
    let held = store.lease("poller", other, hour).await;
    assert!(held.is_ok_and(|fence| fence.is_some()));
    let looks = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..30 {
        let looks = Arc::clone(&looks);
        store.before("lease", async move {
            let mut looks = looks.lock().expect("the looks");
            looks.push(tokio::time::Instant::now());
        });
    }
    let nobody = "http://127.0.0.1:1";
    let (stop, polls) = poll_at(nobody, Arc::clone(&store) as _, &Pen::default());
    sleep(Duration::from_secs(20)).await;
    stop.cancel();
    polls.await.expect("it stops");
    let looks = looks.lock().expect("the looks").clone();
    let pauses: Vec<_> = looks.windows(2).map(|two| two[1] - two[0]).collect();
    let is_short = |pause: &Duration| *pause <= Duration::from_millis(1010);
    assert!(pauses.len() > 10 && pauses.iter().all(is_short), "{pauses:?}");
}

/// Whether nobody else could have the lease on polling.
async fn take_by_none(bed: &Bed) -> Option<()> {
    let token = Token::fresh();
    match bed.lease("poller", token, Duration::from_secs(10)).await {
        Ok(None) => Some(()),
        _ => {
            bed.release("poller", token).await.expect("given back");
            None
        }
    }
}

/// Somebody else polls with the same token, as a copy of the bot on a developer's machine does. Each time one asks, the other is
/// thrown out; the one that was waits, so that both come to their turn and Telegram is not asked without end.
#[tokio::test]
async fn two_strangers_with_one_token_ask_rarely() {
    let api = BotApi::start();
    let pens = [Pen::default(), Pen::default()];
    let stops = pens.each_ref().map(|pen| poll_into(&api, pen));
    until("they meet", async || (api.conflicts() > 0).then_some(())).await;
    let before = (api.conflicts(), api.calls_of("getUpdates").len());
    sleep(Duration::from_secs(12)).await;
    let conflicts = api.conflicts() - before.0;
    let asked = api.calls_of("getUpdates").len() - before.1;
    println!("two strangers for 12 s: {asked} questions, {conflicts} conflicts");
    assert!(conflicts <= 5 && asked <= 12, "{conflicts} of {asked}");
    let ann = someone();
    api.queue(&Update::photo(ann).numbered(5).body());
    until("one of them has it", async || pens.iter().any(|pen| pen.came() == [5]).then_some(()))
        .await;
    for stop in stops {
        stop.cancel();
    }
}
