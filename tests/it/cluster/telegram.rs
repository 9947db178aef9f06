//! The emulator as the Telegram of a cluster: it delivers by the real rules, remembers everything, and tells each person at once
//! what they were sent.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use steadfast::emulator::{Call, Emulator, Fault, Millis, Options, Person, Webhook};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::support::bot_api::TOKEN;
use crate::support::server::SECRET;

/// As many as Telegram makes.
const CONNECTIONS: usize = 100;
/// The methods by which people are told something.
pub(super) const SENT: [&str; 2] = ["sendMessage", "editMessageText"];
/// How often it is looked what was sent.
const LOOK: Duration = Duration::from_millis(20);
/// What a call of the bot takes, at least and at most: time in which its sender can be killed.
const CALL_MS: (u64, u64) = (2, 40);

/// A Telegram; it ends with this value.
#[derive(Debug)]
pub(super) struct Telegram {
    pub(super) emulator: Emulator,
    address: SocketAddr,
    hearings: Arc<Mutex<HashMap<i64, Arc<Hearing>>>>,
}

/// What one person was sent, each message once.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    heard: Mutex<Heard>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct Heard {
    messages: Vec<Call>,
    repeats: Repeats,
}

/// What a message is to those before it in its chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    New,
    /// The last one again.
    Again,
    /// One of those before the last again.
    Late,
}

/// Tells repeats from what is new, in one chat: the same words with the same buttons once more are a repeat.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    known: HashSet<String>,
    last: String,
}

impl Repeats {
    /// What this one is to those that were met before it.
    pub(super) fn meet(&mut self, call: &Call) -> Novelty {
        let whole = call.params.to_string();
        if self.last == whole {
            return Novelty::Again;
        }
        // Some words are said again in another round, but no link of a chain, and nothing with what the person said.
        // A choice carries the mark of its prompt.
        let own = format!("{}-", call.chat());
        let is_unique = text(call).starts_with('#')
            || text(call).contains(&own)
            || whole.contains("\"callback_data\":\"c");
        if is_unique && self.known.contains(&whole) {
            return Novelty::Late;
        }
        self.known.insert(whole.clone());
        self.last = whole;
        Novelty::New
    }
}

impl Telegram {
    /// Begins to listen, in a thread of its own.
    pub(super) fn open() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("its address");
        let hearings = Arc::<Mutex<HashMap<i64, Arc<Hearing>>>>::default();
        let (sender, receiver) = mpsc::channel();
        let told = Arc::clone(&hearings);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                let emulator = Emulator::open(options()).expect("an emulator");
                emulator.rule(|_| Some(Fault::slow(takes())));
                let served = emulator.serve(listener, emulator.router());
                let listening = tokio::spawn(listen(emulator.clone(), told));
                sender.send(emulator).expect("somebody who waits");
                served.await.expect("it serves");
                listening.abort();
            });
        });
        Self { emulator: receiver.recv().expect("an emulator"), address, hearings }
    }

    /// The port at which it listens.
    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Where the replica of this name finds its Bot API.
    pub(super) fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// Delivers to this address from now on.
    pub(super) fn deliver_to(&self, door: SocketAddr) {
        let webhook = Webhook {
            secret: SECRET.to_owned(),
            max_connections: CONNECTIONS,
            ..Webhook::at(&format!("http://{door}/webhook"))
        };
        self.emulator.set_webhook(Some(webhook), &[]);
    }

    /// Somebody new of this name, and what they hear.
    pub(super) fn person(&self, name: &str) -> (i64, Arc<Hearing>) {
        let person = Person { language_code: "en".to_owned(), ..Person::named(name) };
        let id = self.emulator.add_person(person).id;
        let hearing = Arc::<Hearing>::default();
        lock(&self.hearings).insert(id, Arc::clone(&hearing));
        (id, hearing)
    }

    /// The messages that reached anybody, repeated and changed ones included.
    pub(super) fn sent(&self) -> Vec<Call> {
        self.emulator.calls_as(|call| is_sent(call).then(|| call.clone()))
    }

    /// The messages that reached these chats.
    pub(super) fn sent_to(&self, chats: &HashSet<i64>) -> Vec<Call> {
        let is_theirs = |call: &Call| chats.contains(&call.chat()) && is_sent(call);
        self.emulator.calls_as(|call| is_theirs(call).then(|| call.clone()))
    }

    /// The calls of this method that came to what was wanted. A message that is already as it shall be counts, too.
    pub(super) fn carried_out(&self, method: &str) -> Vec<Call> {
        let is_so = |call: &Call| {
            let words = call.answer["description"].as_str().unwrap_or_default();
            let is_fine = call.answer["ok"] == true || words.contains("message is not modified");
            call.method.eq_ignore_ascii_case(method) && is_fine
        };
        self.emulator.calls_as(|call| is_so(call).then(|| call.clone()))
    }

    /// The file of the photo that an update brings, in the largest size.
    pub(super) fn photo(&self, update: i64) -> String {
        let update = self.emulator.update(update).expect("an update");
        let body: Value = serde_json::from_str(&update.body).expect("JSON");
        let sizes = body["message"]["photo"].as_array().expect("a photo");
        let largest = sizes.last().and_then(|size| size["file_id"].as_str());
        largest.expect("a file").to_owned()
    }

    /// The time, in milliseconds since the epoch.
    pub(super) fn now(&self) -> Millis {
        self.emulator.now()
    }
}

impl Hearing {
    /// Waits for so many messages, each counted once, and answers the last of them; nothing if they do not come.
    pub(super) async fn until(&self, count: usize, patience: Duration) -> Option<String> {
        let waiting = async {
            loop {
                let rung = self.bell.notified();
                tokio::pin!(rung);
                rung.as_mut().enable();
                if let Some(message) = lock(&self.heard).messages.get(count - 1) {
                    return text(message).to_owned();
                }
                rung.await;
            }
        };
        tokio::time::timeout(patience, waiting).await.ok()
    }

    /// The button with this label under the last of so many messages: which message that is, and what the button carries.
    pub(super) fn button(&self, count: usize, label: &str) -> Option<(i64, String)> {
        let heard = lock(&self.heard);
        let call = heard.messages.get(count.checked_sub(1)?)?;
        let rows = call.params["reply_markup"]["inline_keyboard"].as_array()?;
        let mut buttons = rows.iter().filter_map(Value::as_array).flatten();
        let button = buttons.find(|button| button["text"] == label)?;
        let message = call.answer["result"]["message_id"].as_i64()?;
        Some((message, button["callback_data"].as_str()?.to_owned()))
    }

    fn hear(&self, call: &Call) {
        let mut heard = lock(&self.heard);
        if heard.repeats.meet(call) == Novelty::New && !is_aside(text(call)) {
            heard.messages.push(call.clone());
        }
        drop(heard);
        self.bell.notify_waiters();
    }
}

/// What a call says.
pub(super) fn text(call: &Call) -> &str {
    call.params["text"].as_str().unwrap_or_default()
}

/// Whether a message tells an owner of somebody else. It comes whatever they are at, and answers nothing.
pub(super) fn is_aside(text: &str) -> bool {
    is_introduction(text) || text.starts_with("🏁 ") && text.contains(" has closed a shift. ")
}

/// Whether a message tells an owner who somebody is.
pub(super) fn is_introduction(text: &str) -> bool {
    text.starts_with("👋 Somebody has introduced themselves:")
}

/// Whether an item of a lane, which is JSON, says what this call says.
pub(super) fn says(item: &str, call: &Call) -> bool {
    let quoted = call.params["text"].to_string();
    item.contains(quoted.trim_matches('"'))
}

/// Tells people what was sent to them, for ever.
async fn listen(emulator: Emulator, hearings: Arc<Mutex<HashMap<i64, Arc<Hearing>>>>) {
    let mut last = 0;
    loop {
        for call in emulator.calls_after(last) {
            last = call.seq;
            let hearing = lock(&hearings).get(&call.chat()).cloned();
            if let Some(hearing) = hearing.filter(|_| is_sent(&call)) {
                hearing.hear(&call);
            }
        }
        sleep(LOOK).await;
    }
}

/// Whether somebody reads something new: a message, or another one in the place of one that was there.
fn is_sent(call: &Call) -> bool {
    let is_one = |method: &&str| call.method.eq_ignore_ascii_case(method);
    SENT.iter().any(is_one) && call.answer["ok"] == true
}

fn options() -> Options {
    Options {
        token: Some(TOKEN.to_owned()),
        trusting: true,
        remembers_all: true,
        ..Options::default()
    }
}

fn takes() -> Duration {
    Duration::from_millis(rand::random_range(CALL_MS.0..CALL_MS.1))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
