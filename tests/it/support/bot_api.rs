//! The emulator as the tests of the bot use it: they deliver updates themselves, from people whom it has never seen, and look at the
//! calls that come of it.
//!
//! It runs in a thread of its own, so that whatever a test waits for, it answers. What it answers can be told in advance:
//! for the next calls by [`BotApi::plan`], [`BotApi::plan_for`] and [`BotApi::plan_of`], for all others by [`BotApi::rule`]. Whatever is answered by [`Reply::Ok`] is
//! answered as Telegram would.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use steadfast::emulator::{self, Emulator, Fault, Kind, Options, Webhook};
use tokio::net::TcpListener;

use super::patience::{LONG, until};
use super::port::Port;

pub(crate) use steadfast::emulator::Limit;

/// The bot that all tests are.
pub(crate) const TOKEN: &str = "7000001:AAH3canary-token_0123456789abcdefgh";

/// A Bot API; it ends with this value.
#[derive(Debug)]
pub(crate) struct BotApi {
    address: SocketAddr,
    emulator: Emulator,
    plan: Arc<Mutex<Plan>>,
    /// So that nobody else is here while the door is shut.
    _port: Port,
}

/// A call as it came.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// In lower case, such as `sendmessage`: Telegram takes it in any.
    pub(crate) method: String,
    /// Its parameters.
    pub(crate) params: Value,
    /// Who called: what stands before `/bot` in the address it was told.
    pub(crate) caller: String,
    /// When it came.
    pub(crate) at: Instant,
    /// When it was answered.
    pub(crate) answered: Option<Instant>,
    /// What was answered, after limits and refusals.
    pub(crate) reply: Reply,
}

/// What a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// What Telegram would: that it is done, or why not.
    Ok,
    /// The same after a while.
    Slow(Duration),
    /// Too many: come again after these seconds.
    TooMany(u64),
    /// An error with this status.
    Fail(u16),
    /// An error with this status, in these words.
    Refuse(u16, &'static str),
    /// That the person has blocked the bot.
    Blocked,
    /// The same once the test [lets it go](BotApi::let_go).
    Held,
    /// Nothing at all, although it is done.
    Hang,
    /// The connection is cut without an answer, although it is done.
    Reset,
    /// Something that is no JSON, although it is done.
    Garbage,
    /// Half an answer, although it is done.
    Truncated,
}

/// A webhook as it is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registered {
    pub(crate) url: String,
    pub(crate) secret: String,
    pub(crate) max_connections: u64,
    pub(crate) allowed: Vec<String>,
}

/// Decides what a call is answered.
type Rule = Box<dyn Fn(&Call) -> Reply + Send>;

/// What a server asks or tells of its own accord, at any time: no test is disturbed by it.
const ASIDE: [&str; 2] = ["getme", "setmycommands"];

/// What calls are answered.
#[derive(Default)]
struct Plan {
    /// The next ones of each method.
    next_of: HashMap<String, VecDeque<Reply>>,
    /// The next ones.
    next: VecDeque<Reply>,
    /// The next ones for each chat.
    next_for: HashMap<i64, VecDeque<Reply>>,
    /// All others; nothing: as Telegram would.
    rule: Option<Rule>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Plan(…)")
    }
}

impl Plan {
    fn reply(&mut self, call: &Call) -> Reply {
        let of_method = self.next_of.get_mut(&call.method);
        let of_method = of_method.and_then(VecDeque::pop_front);
        if of_method.is_some() || ASIDE.contains(&&*call.method) {
            return of_method.unwrap_or(Reply::Ok);
        }
        let ruled = self.rule.as_ref().map(|rule| rule(call));
        let for_chat = self.next_for.get_mut(&call.chat());
        let for_chat = for_chat.and_then(VecDeque::pop_front);
        let planned = self.next.pop_front().or(for_chat);
        planned.or(ruled).unwrap_or(Reply::Ok)
    }
}

impl Reply {
    /// What has to go wrong for it.
    fn fault(self) -> Option<Fault> {
        Some(match self {
            Self::Ok => return None,
            Self::Slow(time) => Fault::slow(time),
            Self::TooMany(seconds) => Fault::too_many(seconds),
            Self::Fail(status) => Fault::error(status, "it was told to fail"),
            Self::Refuse(status, words) => Fault::error(status, words),
            Self::Blocked => Fault::error(403, "Forbidden: bot was blocked by the user"),
            Self::Held => Kind::Hold.into(),
            Self::Hang => Kind::Hang.into(),
            Self::Reset => Kind::Reset.into(),
            Self::Garbage => Kind::Garbage.into(),
            Self::Truncated => Kind::Truncate.into(),
        })
    }
}

impl From<&emulator::Call> for Call {
    fn from(call: &emulator::Call) -> Self {
        let refused = call.answer["error_code"].as_u64();
        let reply = match (refused, call.fault.as_ref().map(|fault| fault.kind)) {
            (Some(429), _) => {
                Reply::TooMany(call.answer["parameters"]["retry_after"].as_u64().unwrap_or(0))
            }
            (Some(status), _) => Reply::Fail(status as u16),
            (None, Some(Kind::Hold)) => Reply::Held,
            (None, Some(Kind::Hang)) => Reply::Hang,
            (None, Some(Kind::Reset)) => Reply::Reset,
            (None, Some(Kind::Garbage)) => Reply::Garbage,
            (None, Some(Kind::Truncate)) => Reply::Truncated,
            (None, _) => Reply::Ok,
        };
        Self {
            method: call.method.to_lowercase(),
            params: call.params.clone(),
            caller: call.caller.clone().unwrap_or_default(),
            answered: call.answered,
            at: call.came,
            reply,
        }
    }
}

impl Call {
    /// The chat it is for.
    pub(crate) fn chat(&self) -> i64 {
        self.params["chat_id"].as_i64().unwrap_or_default()
    }

    /// What it says.
    pub(crate) fn text(&self) -> &str {
        self.params["text"].as_str().unwrap_or_default()
    }

    /// What the button with this label carries.
    pub(crate) fn button(&self, label: &str) -> String {
        let rows = self.params["reply_markup"]["inline_keyboard"].as_array();
        let mut buttons =
            rows.into_iter().flatten().flat_map(|row| row.as_array().into_iter().flatten());
        let found = buttons.find(|button| button["text"] == label);
        let found = found.unwrap_or_else(|| panic!("no button `{label}` in {}", self.params));
        found["callback_data"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether it was carried out.
    pub(crate) fn arrived(&self) -> bool {
        match self.reply {
            Reply::Ok | Reply::Slow(_) | Reply::Held | Reply::Hang => true,
            Reply::Reset | Reply::Garbage | Reply::Truncated => true,
            Reply::TooMany(_) | Reply::Fail(_) | Reply::Blocked => false,
            Reply::Refuse(..) => false,
        }
    }
}

impl BotApi {
    /// Begins to listen.
    pub(crate) fn start() -> Self {
        let port = Port::hold();
        let address = port.address();
        let listener = std::net::TcpListener::bind(address).expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                let emulator = open();
                let served = emulator.serve(listener, emulator.router());
                sender.send(emulator).expect("somebody who waits");
                served.await.expect("it serves");
            });
        });
        let emulator = receiver.recv().expect("an emulator");
        let plan = Arc::new(Mutex::new(Plan::default()));
        let planned = Arc::clone(&plan);
        emulator.rule(move |call| lock(&planned).reply(&Call::from(call)).fault());
        Self { address, emulator, plan, _port: port }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts every connection, and refuses new ones until it is [opened](Self::open_door).
    pub(crate) fn shut_door(&self) {
        self.emulator.shut_door();
        let started = Instant::now();
        while std::net::TcpStream::connect(self.address).is_ok() {
            assert!(started.elapsed() < LONG, "the door is not shut");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Can be reached again, at the same address.
    pub(crate) fn open_door(&self) {
        self.emulator.open_door();
    }

    /// Cuts so many of the next connections as soon as they are made, before anything is read.
    pub(crate) fn cut_next(&self, connections: usize) {
        self.emulator.cut_next(connections);
    }

    /// How many of those are still to be cut.
    pub(crate) fn still_to_cut(&self) -> usize {
        self.emulator.still_to_cut()
    }

    /// Answers what is held of this chat, and whatever would be.
    pub(crate) fn let_go(&self, chat: i64) {
        self.emulator.let_go(chat);
    }

    /// Answers the next calls so, in this order.
    pub(crate) fn plan(&self, replies: impl IntoIterator<Item = Reply>) {
        lock(&self.plan).next.extend(replies);
    }

    /// Answers the next calls for this chat so, in this order.
    pub(crate) fn plan_for(&self, chat: i64, replies: impl IntoIterator<Item = Reply>) {
        let mut plan = lock(&self.plan);
        plan.next_for.entry(chat).or_default().extend(replies);
    }

    /// Answers the next calls of this method so, in this order.
    pub(crate) fn plan_of(&self, method: &str, replies: impl IntoIterator<Item = Reply>) {
        let mut plan = lock(&self.plan);
        let next = plan.next_of.entry(method.to_lowercase()).or_default();
        next.extend(replies);
    }

    /// Answers every call so that is not planned for.
    pub(crate) fn rule(&self, rule: impl Fn(&Call) -> Reply + Send + 'static) {
        lock(&self.plan).rule = Some(Box::new(rule));
    }

    /// Answers what is over these limits with 429, and forgets what came before.
    pub(crate) fn limit(&self, limits: impl IntoIterator<Item = Limit>) {
        self.emulator.limit(limits);
    }

    /// From now on this person has blocked the bot, or not.
    pub(crate) fn block(&self, chat: i64, blocked: bool) {
        self.emulator.block(chat, blocked).expect("a person");
    }

    /// From now on this group is another chat.
    pub(crate) fn migrate(&self, group: i64, to: i64) {
        self.emulator.migrate(group, Some(to)).expect("a group");
    }

    /// Takes a message out of a chat, as people can.
    pub(crate) fn forget(&self, chat: i64, message: i64) {
        self.emulator.forget(chat, message);
    }

    /// What stands in a chat now, oldest first: the texts and captions, after edits and deletions.
    pub(crate) fn shown(&self, chat: i64) -> Vec<String> {
        let messages = self.emulator.messages(chat).into_iter();
        messages.map(|message| message.content.words().to_owned()).collect()
    }

    /// Every call there was, but for what a server asks or tells of its own accord.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.picked(|call| !ASIDE.contains(&&*call.method.to_lowercase()))
    }

    fn picked(&self, pick: impl Fn(&emulator::Call) -> bool) -> Vec<Call> {
        self.emulator.calls_as(|call| pick(call).then(|| Call::from(call)))
    }

    /// Every call of this method.
    pub(crate) fn calls_of(&self, method: &str) -> Vec<Call> {
        self.picked(|call| call.method.eq_ignore_ascii_case(method))
    }

    /// The messages that this chat has, repeated ones included.
    pub(crate) fn sent(&self, chat: i64) -> Vec<Call> {
        let mut calls = self
            .picked(|call| call.method.eq_ignore_ascii_case("sendMessage") && call.chat() == chat);
        calls.retain(Call::arrived);
        calls
    }

    /// What those say.
    pub(crate) fn texts(&self, chat: i64) -> Vec<String> {
        let sent = self.sent(chat);
        sent.iter().map(|call| call.text().to_owned()).collect()
    }

    /// Waits until the chat has this many messages.
    pub(crate) async fn until_sent(&self, chat: i64, count: usize) -> Vec<Call> {
        until(format!("chat {chat} has {count} messages"), async || {
            let sent = self.sent(chat);
            (sent.len() >= count).then_some(sent)
        })
        .await
    }

    /// Waits until the last message of the chat has this in its text, and answers that message.
    pub(crate) async fn until_said(&self, chat: i64, part: &str) -> Call {
        until(format!("chat {chat} hears `{part}`"), async || {
            let last = self.sent(chat).pop();
            last.filter(|call| call.text().contains(part))
        })
        .await
    }

    /// Waits until there were this many calls of this method.
    pub(crate) async fn until_called(&self, method: &str, count: usize) -> Vec<Call> {
        until(format!("{method} is called {count} times"), async || {
            let calls = self.calls_of(method);
            (calls.len() >= count).then_some(calls)
        })
        .await
    }

    /// Puts an update into the queue that is polled.
    pub(crate) fn queue(&self, body: &str) {
        let update = serde_json::from_str(body).expect("an update is JSON");
        self.emulator.queue(&update);
    }

    /// How many updates are in the queue, not confirmed.
    pub(crate) fn queued(&self) -> usize {
        self.emulator.pending()
    }

    /// How many polls were told that somebody else polls, or that there is a webhook.
    pub(crate) fn conflicts(&self) -> usize {
        self.emulator.conflicts()
    }

    /// The webhook as it is registered now.
    pub(crate) fn webhook(&self) -> Option<Registered> {
        let webhook = self.emulator.webhook()?;
        Some(Registered {
            url: webhook.url,
            secret: webhook.secret,
            max_connections: webhook.max_connections as u64,
            allowed: self.emulator.allowed(),
        })
    }

    /// Tells from now on that a delivery failed then, in these words.
    pub(crate) fn complain(&self, date: u64, words: &str) {
        let mut webhook = self.emulator.webhook().expect("a webhook");
        webhook.last_error = Some((date, words.to_owned()));
        let allowed = self.emulator.allowed();
        self.emulator.set_webhook(Some(webhook), &allowed);
    }

    /// Registers another webhook behind the bot's back, or none.
    pub(crate) fn set_webhook(&self, webhook: Option<Registered>) {
        let allowed = webhook.as_ref().map(|it| it.allowed.clone());
        let webhook = webhook.map(|it| Webhook {
            secret: it.secret,
            max_connections: it.max_connections as usize,
            ..Webhook::at(&it.url)
        });
        let allowed = allowed.unwrap_or_else(|| self.emulator.allowed());
        self.emulator.set_webhook(webhook, &allowed);
    }
}

/// An emulator that believes what it is told, and leaves the delivery of updates to the tests.
fn open() -> Emulator {
    let options = Options {
        token: Some(TOKEN.to_owned()),
        delivers: false,
        trusting: true,
        ..Options::default()
    };
    Emulator::open(options).expect("an emulator")
}

fn lock(plan: &Mutex<Plan>) -> MutexGuard<'_, Plan> {
    plan.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most of these calls that came within any span of this length.
pub(crate) fn most_within<'a>(calls: impl IntoIterator<Item = &'a Call>, span: Duration) -> usize {
    let mut times: Vec<Instant> = calls.into_iter().map(|call| call.at).collect();
    times.sort();
    let (mut first, mut most) = (0, 0);
    for (last, at) in times.iter().enumerate() {
        while at.duration_since(times[first]) >= span {
            first += 1;
        }
        most = most.max(last - first + 1);
    }
    most
}
