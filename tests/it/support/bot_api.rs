//! A Bot API on the loopback: it records every call in the order in which they came, keeps chats, limits, a webhook and a
//! queue of updates as Telegram does, and fails on command.
//!
//! It runs in a thread of its own, so that whatever a test waits for, it answers. What it answers can be told in advance:
//! for the next calls by [`BotApi::plan`] and [`BotApi::plan_for`], for all others by [`BotApi::rule`]. Whatever is answered by [`Reply::Ok`] is
//! answered as Telegram would.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{Notify, watch};

use super::patience::until;
use chats::Chats;
use limits::Meter;
use queue::Queue;

mod chats;
mod html;
mod limits;
mod queue;
mod wire;

pub(crate) use limits::{Limit, most_within};
pub(crate) use queue::Registered;

/// The bot that all tests are.
pub(crate) const TOKEN: &str = "7000001:AAH3canary-token_0123456789abcdefgh";

/// A Bot API; it ends with this value.
#[derive(Debug)]
pub(crate) struct BotApi {
    address: SocketAddr,
    desk: Arc<Desk>,
    /// Whether it can be reached. Dropped with this value, which ends it.
    door: watch::Sender<bool>,
}

/// A call as it came.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// In lower case, such as `sendmessage`: Telegram takes it in any.
    pub(crate) method: String,
    /// Its parameters.
    pub(crate) params: Value,
    /// When it came.
    pub(crate) at: Instant,
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
    /// Nothing at all, although it is done.
    Hang,
    /// The connection is cut without an answer, although it is done.
    Reset,
    /// Something that is no JSON, although it is done.
    Garbage,
    /// Half an answer, although it is done.
    Truncated,
}

/// Decides what a call is answered.
type Rule = Box<dyn Fn(&Call) -> Reply + Send>;

#[derive(Default)]
struct Book {
    calls: Vec<Call>,
    /// What the next calls are answered.
    planned: VecDeque<Reply>,
    /// What the next calls for each chat are answered.
    planned_for: HashMap<i64, VecDeque<Reply>>,
    /// What all others are answered; nothing: as Telegram would.
    rule: Option<Rule>,
    chats: Chats,
    meter: Meter,
    queue: Queue,
}

#[derive(Default)]
struct Desk {
    book: Mutex<Book>,
    /// Something came into the queue, or somebody else asks for updates.
    stir: Notify,
}

/// What a call came to, before it is written to the wire.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    /// The result.
    Done(Value),
    /// Status, description, parameters.
    Refused(u16, String, Value),
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk(…)")
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
        let mut buttons = rows
            .into_iter()
            .flatten()
            .flat_map(|row| row.as_array().into_iter().flatten());
        let found = buttons.find(|button| button["text"] == label);
        let found = found.unwrap_or_else(|| panic!("no button `{label}` in {}", self.params));
        found["callback_data"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether it brings something into a chat, and so counts for the limits.
    pub(crate) fn is_sending(&self) -> bool {
        let sends = ["sendmessage", "sendphoto", "sendmediagroup"];
        sends.contains(&self.method.as_str()) || self.method == "editmessagetext"
    }

    /// Whether it was carried out.
    pub(crate) fn arrived(&self) -> bool {
        match self.reply {
            Reply::Ok | Reply::Slow(_) | Reply::Hang => true,
            Reply::Reset | Reply::Garbage | Reply::Truncated => true,
            Reply::TooMany(_) | Reply::Fail(_) | Reply::Blocked => false,
            Reply::Refuse(..) => false,
        }
    }
}

impl BotApi {
    /// Begins to listen.
    pub(crate) fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("its address");
        let desk = Arc::new(Desk::default());
        let (door, opened) = watch::channel(true);
        let served = wire::serve(listener, Arc::clone(&desk), opened);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(served);
        });
        Self {
            address,
            desk,
            door,
        }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts every connection, and refuses new ones until it is [opened](Self::open_door).
    pub(crate) fn shut_door(&self) {
        self.door.send_replace(false);
    }

    /// Can be reached again, at the same address.
    pub(crate) fn open_door(&self) {
        self.door.send_replace(true);
    }

    /// Answers the next calls so, in this order.
    pub(crate) fn plan(&self, replies: impl IntoIterator<Item = Reply>) {
        self.desk.book().planned.extend(replies);
    }

    /// Answers the next calls for this chat so, in this order.
    pub(crate) fn plan_for(&self, chat: i64, replies: impl IntoIterator<Item = Reply>) {
        let mut book = self.desk.book();
        book.planned_for.entry(chat).or_default().extend(replies);
    }

    /// Answers every call so that is not planned for.
    pub(crate) fn rule(&self, rule: impl Fn(&Call) -> Reply + Send + 'static) {
        self.desk.book().rule = Some(Box::new(rule));
    }

    /// Answers what is over these limits with 429, and forgets what came before.
    pub(crate) fn limit(&self, limits: impl IntoIterator<Item = Limit>) {
        self.desk.book().meter = Meter::new(limits);
    }

    /// From now on this person has blocked the bot, or not.
    pub(crate) fn block(&self, chat: i64, blocked: bool) {
        self.desk.book().chats.block(chat, blocked);
    }

    /// From now on this group is another chat.
    pub(crate) fn migrate(&self, group: i64, to: i64) {
        self.desk.book().chats.migrate(group, to);
    }

    /// Takes a message out of a chat, as people can.
    pub(crate) fn forget(&self, chat: i64, message: i64) {
        self.desk.book().chats.forget(chat, message);
    }

    /// What stands in a chat now, oldest first: the texts and captions, after edits and deletions.
    pub(crate) fn shown(&self, chat: i64) -> Vec<String> {
        self.desk.book().chats.shown(chat)
    }

    /// Every call there was, but for a server's question who it is.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let mut calls = self.desk.book().calls.clone();
        calls.retain(|call| call.method != "getme");
        calls
    }

    /// Every call of this method.
    pub(crate) fn calls_of(&self, method: &str) -> Vec<Call> {
        let mut calls = self.calls();
        calls.retain(|call| call.method.eq_ignore_ascii_case(method));
        calls
    }

    /// The messages that this chat has, repeated ones included.
    pub(crate) fn sent(&self, chat: i64) -> Vec<Call> {
        let book = self.desk.book();
        let calls = book.calls.iter();
        calls
            .filter(|call| call.method == "sendmessage" && call.chat() == chat && call.arrived())
            .cloned()
            .collect()
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
        self.desk.book().queue.push(update);
        self.desk.stir.notify_waiters();
    }

    /// How many updates are in the queue, not confirmed.
    pub(crate) fn queued(&self) -> usize {
        self.desk.book().queue.len()
    }

    /// How many polls were told that somebody else polls, or that there is a webhook.
    pub(crate) fn conflicts(&self) -> usize {
        self.desk.book().queue.conflicts
    }

    /// The webhook as it is registered now.
    pub(crate) fn webhook(&self) -> Option<Registered> {
        self.desk.book().queue.webhook.clone()
    }

    /// Registers another webhook behind the bot's back, or none.
    pub(crate) fn set_webhook(&self, webhook: Option<Registered>) {
        self.desk.book().queue.webhook = webhook;
    }
}

impl Desk {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Writes a call down, and carries it out unless it shall fail.
    fn take(&self, method: String, params: Value) -> (Reply, Outcome) {
        let mut book = self.book();
        let mut call = Call {
            method,
            params,
            at: Instant::now(),
            reply: Reply::Ok,
        };
        let ruled = book.rule.as_ref().map(|rule| rule(&call));
        let for_chat = book.planned_for.get_mut(&call.chat());
        let for_chat = for_chat.and_then(VecDeque::pop_front);
        // Who it is, a server asks at any time; nothing is planned for that.
        call.reply = if call.method == "getme" {
            Reply::Ok
        } else {
            let planned = book.planned.pop_front().or(for_chat);
            planned.or(ruled).unwrap_or(Reply::Ok)
        };
        let outcome = match call.reply {
            Reply::TooMany(seconds) => limits::too_many(seconds),
            Reply::Fail(status) => refused(status, "it was told to fail"),
            Reply::Blocked => refused(403, "Forbidden: bot was blocked by the user"),
            Reply::Refuse(status, words) => refused(status, words),
            _ => book.carry_out(&mut call),
        };
        let reply = call.reply;
        book.calls.push(call);
        (reply, outcome)
    }
}

impl Book {
    /// Does as Telegram does; what it refuses is noted as refused.
    fn carry_out(&mut self, call: &mut Call) -> Outcome {
        let outcome = match self.meter.over(call) {
            Some(seconds) => {
                call.reply = Reply::TooMany(seconds);
                return limits::too_many(seconds);
            }
            None => self.queue.call(call).or_else(|| self.chats.call(call)),
        };
        let outcome = outcome.unwrap_or_else(|| refused(404, "Not Found: method not found"));
        if let Outcome::Refused(status, ..) = outcome {
            call.reply = Reply::Fail(status);
        }
        outcome
    }
}

fn refused(status: u16, description: &str) -> Outcome {
    Outcome::Refused(status, description.to_owned(), Value::Null)
}

fn bad_request(words: &str) -> Outcome {
    refused(400, &format!("Bad Request: {words}"))
}
