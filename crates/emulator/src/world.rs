//! All that the emulator knows, under one lock.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::bot::Bot;
use super::calls::Call;
use super::chats::{Chats, Entry};
use super::clock::{Clock, Millis};
use super::crowd::Crowd;
use super::faults::{Fault, Faults};
use super::files::Files;
use super::journal::{Journal, News};
use super::json::ascii;
use super::limits::Meter;
use super::lookup::Found;
use super::message::{Chat, Message};
use super::noted::Noted;
use super::people::{People, Person};
use super::presses::Presses;
use super::queue::{Attempt, Kind, Queue, State, Update, kind};
use super::webhook::Webhook;

/// Decides what goes wrong with a call, for tests.
pub(super) type Rule = Box<dyn Fn(&Call) -> Option<Fault> + Send>;

/// Sees how each delivery ended.
pub(super) type Onlooker = Box<dyn Fn(&Attempt) + Send>;

/// Everything.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct World {
    #[serde(skip)]
    pub(super) clock: Clock,
    /// Chats whose answers are not [held](super::Kind::Hold) any more.
    #[serde(skip)]
    pub(super) let_go: HashSet<i64>,
    /// Chats and presses that nobody has seen are taken as known.
    #[serde(skip)]
    pub(super) trusting: bool,
    /// Whether webhooks are refused as they are in public.
    #[serde(skip)]
    pub(super) is_public: bool,
    /// The roles that people can play; none: any word.
    #[serde(skip)]
    pub(super) roles: Vec<String>,
    /// Whether the webhook stays as it is, whatever the bot says.
    #[serde(skip)]
    pub(super) is_pinned: bool,
    /// What looking up the host of a webhook came to.
    #[serde(skip)]
    pub(super) hosts: BTreeMap<String, Found>,
    /// Where hosts are that were said to be elsewhere than the machine finds them.
    #[serde(skip)]
    pub(super) moved: BTreeMap<String, IpAddr>,
    pub(super) bot: Noted<Bot>,
    pub(super) people: Noted<People>,
    pub(super) chats: Chats,
    pub(super) presses: Presses,
    pub(super) files: Files,
    pub(super) queue: Queue,
    pub(super) webhook: Option<Webhook>,
    /// Goes up whenever what is in flight is given up.
    #[serde(skip)]
    pub(super) life: u64,
    /// When a webhook may be set again.
    #[serde(skip)]
    pub(super) webhook_from: Millis,
    #[serde(skip)]
    pub(super) settings: super::setting::Settings,
    #[serde(skip)]
    pub(super) polls: super::polls::Polls,
    /// Updates to be sent once more, whatever became of them.
    #[serde(skip)]
    pub(super) copies: Vec<u64>,
    #[serde(skip)]
    pub(super) calls: VecDeque<Call>,
    #[serde(skip)]
    pub(super) last_call: u64,
    #[serde(skip)]
    pub(super) faults: Faults,
    #[serde(skip)]
    pub(super) meter: Meter,
    #[serde(skip)]
    pub(super) crowd: Crowd,
    #[serde(skip)]
    pub(super) rule: Option<Rule>,
    #[serde(skip)]
    pub(super) onlooker: Option<Onlooker>,
    #[serde(skip)]
    pub(super) events: Option<broadcast::Sender<String>>,
    /// Everything was forgotten since it was last written down.
    #[serde(skip)]
    pub(super) is_anew: bool,
    /// How often everything was written down.
    #[serde(skip)]
    pub(super) written: u64,
    /// Where changes are written down, if anywhere.
    #[serde(skip)]
    pub(super) journal: Option<Journal>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("World(…)")
    }
}

impl World {
    pub(super) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Unix seconds, as messages have them.
    pub(super) fn date(&self) -> u64 {
        self.now() / 1000
    }

    /// Whether anybody looks on. Nothing that takes time is made for nobody.
    pub(super) fn is_watched(&self) -> bool {
        let events = self.events.as_ref();
        events.is_some_and(|it| it.receiver_count() > 0)
    }

    /// Tells whoever looks on.
    pub(super) fn tell(&self, kind: &str, mut event: Value) {
        let Some(events) = self.events.as_ref().filter(|_| self.is_watched()) else {
            return;
        };
        if !event.is_object() {
            event = json!({});
        }
        event["type"] = json!(kind);
        let _ = events.send(event.to_string());
    }

    /// What changed since this was last asked.
    pub(super) fn news(&mut self) -> News {
        News {
            ahead: self.clock.offset(),
            is_anew: std::mem::take(&mut self.is_anew),
            chats: self.chats.news(),
            queue: self.queue.news(),
            presses: self.presses.news(),
            webhook: self.webhook.clone(),
            people: self.people.news(),
            bot: self.bot.news(),
            files: self.files.news(),
        }
    }

    /// Takes in what changed when another was in its place.
    pub(super) fn learn(&mut self, news: News) {
        if news.is_anew {
            self.chats.clear();
            self.queue.clear();
            self.presses.clear();
            self.files.clear();
        }
        self.chats.learn(news.chats);
        self.queue.learn(news.queue);
        self.presses.learn(news.presses);
        self.webhook = news.webhook;
        self.people.learn(news.people);
        self.bot.learn(news.bot);
        self.files.learn(news.files);
    }

    /// Writes down what changed, before anybody is told that it has.
    pub(super) fn note(&mut self) {
        let news = self.news();
        let Some(mut journal) = self.journal.take() else {
            return;
        };
        if let Err(error) = journal.add(self, &news) {
            tracing::warn!(%error, "a change could not be written down; it is when all is");
        }
        self.journal = Some(journal);
    }

    /// Puts an update into the queue; answers its number, unless the bot does not want to hear of it.
    pub(super) fn enqueue(
        &mut self,
        kind: Kind,
        chat: i64,
        payload: &impl Serialize,
    ) -> Option<i64> {
        self.enqueue_since(self.now(), kind, chat, payload)
    }

    /// The same for one that came about earlier.
    pub(super) fn enqueue_since(
        &mut self,
        since: Millis,
        kind: Kind,
        chat: i64,
        payload: &impl Serialize,
    ) -> Option<i64> {
        // Of a group that it is not in a bot hears nothing but that, and of who is there only where it runs the group.
        let group = self.people.groups.get(&chat);
        let hears = group.is_none_or(|group| match kind.is_for_administrators() {
            true => group.is_run_by_bot(),
            false => group.bot.is_in() || kind.name() == kind::MY_CHAT_MEMBER.name,
        });
        if !hears {
            return None;
        }
        let payload = ascii(payload);
        let (seq, id) =
            self.queue.push(kind, chat, since, &payload).map(|it| (it.seq, it.update_id))?;
        self.queue.prune();
        self.tell_update(seq);
        Some(id)
    }

    /// Tells what became of an update.
    pub(super) fn tell_update(&self, seq: u64) {
        if let Some(update) = self.queue.get(seq).filter(|_| self.is_watched()) {
            self.tell("update", update.shown());
        }
    }

    /// The message of an update has other ticks now.
    fn tell_ticks(&self, update: &Update) {
        if update.kind != "message" || update.state.is_pending() || !self.is_watched() {
            return;
        }
        let entries =
            self.chats.get(update.chat).into_iter().flat_map(|room| room.all().rev().take(20));
        let mut entries = entries.filter(|entry| entry.update_id == Some(update.update_id));
        if let Some(entry) = entries.next() {
            self.tell("message", json!({ "chat": update.chat, "message": self.shown(entry) }));
        }
    }

    /// What became of an update.
    pub(super) fn settle(&mut self, seq: u64, state: State) {
        if self.queue.settle(seq, state).is_none() {
            return;
        }
        self.tell_update(seq);
        if let Some(update) = self.queue.get(seq) {
            self.tell_ticks(update);
        }
    }

    /// A message as the control API shows it.
    pub(super) fn shown(&self, entry: &Entry) -> Value {
        let mut shown = serde_json::to_value(&entry.message).unwrap_or_default();
        shown["by"] = json!(if entry.by_bot { "bot" } else { "person" });
        shown["edited"] = json!(entry.edited);
        shown["deleted"] = json!(entry.deleted);
        let update = entry.update_id.and_then(|id| self.queue.by_id(id));
        shown["delivery"] = json!(match (entry.by_bot, update.map(|update| update.state)) {
            (false, Some(state)) if state.is_pending() => "sent",
            (false, Some(State::Dropped)) => "failed",
            (false, None) if entry.update_id.is_none() => "unheard",
            _ => "delivered",
        });
        if let Some(id) = entry.update_id {
            shown["update_id"] = json!(id);
        }
        if !entry.reactions.is_empty() {
            shown["reactions"] = json!(entry.reactions);
        }
        shown
    }

    /// Tells of a message that is there now, or is another.
    pub(super) fn tell_message(&self, kind: &str, chat: i64, id: i64) {
        let entry = self.chats.get(chat).and_then(|room| room.message(id));
        if let Some(entry) = entry.filter(|_| self.is_watched()) {
            self.tell(kind, json!({ "chat": chat, "message": self.shown(entry) }));
        }
    }

    /// Puts a message into a chat, and tells.
    pub(super) fn add_message(&mut self, message: Message, by_bot: bool) -> Message {
        let chat = message.chat.id;
        let room = self.chats.room(chat);
        let message = room.add(message, by_bot);
        if !self.queue.remembers_all {
            room.prune();
        }
        if by_bot {
            self.tell_message("message", chat, message.message_id);
        }
        message
    }

    /// The chat of this id. Somebody whom nobody has seen is made, where that is how it was set up.
    pub(super) fn chat(&mut self, id: i64) -> Option<Chat> {
        if self.trusting && self.people.chat(id).is_none() {
            self.make(id);
        }
        self.people.chat(id)
    }

    fn make(&mut self, id: i64) {
        if id < 0 {
            let kind = if id < -1_000_000_000_000 { "supergroup" } else { "group" };
            self.people.add_group(super::people::Group {
                id,
                title: "Group".to_owned(),
                kind: kind.to_owned(),
                ..Default::default()
            });
        } else {
            let started = true;
            self.people.add(Person { id, started, ..Person::named("Somebody") });
        }
    }

    /// What is in flight is given up: it is sent again by whoever comes next.
    pub(super) fn begin_anew(&mut self) {
        self.life += 1;
        self.queue.take_back();
    }
}
