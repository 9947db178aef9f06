//! A whole bot in this process, before a Bot API: a flow that says whatever it is told to, and records that can refuse.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Command, Edges, Person};
use steadfast::outbox::Outbox;
use steadfast::outbox::telegram::Telegram;
use steadfast::records::{Order, Records, Unread, Verdict};
use steadfast::replica::{self, Info, Peers};
use steadfast::server::sweeper;
use steadfast::store::{Cause, DialogueKey, Memory, Store};
use steadfast::turn::Event;
use steadfast::turn::{self, Desk, LeasedQueues, Outcome, Pipeline, TurnError};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::bot_api::{BotApi, TOKEN};
use super::ears::Ears;
use super::updates::someone;
use super::whispers;

/// Another chat, which flows may tell something.
pub(crate) const OFFICE: i64 = -900_900;

/// What is said by key.
const TEXTS: &str = "hello = <b>Hello</b>, { $name }!\nrefused = It could not be done: { $reason }.\napology = We are sorry.\n";

/// Says whatever it is told to: `/say` and what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(crate) enum Actor {
    /// Waits for a word.
    Word,
}

impl Flow for Actor {
    const NAME: &'static str = "actor";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        let Input::Command(Command { name, arg }) = &turn.input else {
            return None;
        };
        let (what, rest) = arg.split_once(' ').unwrap_or((arg, ""));
        (name == "say").then(|| match what {
            "hello" => done().say(text("hello").with("name", turn.person.name.as_str())),
            "contact" => done().prompt(say("Your number?").asks_contact("Share it")),
            "words" => done().prompt(say("Which?").offers(["Left", "Right"])),
            "remove" => done().prompt(say("Gone.").removes_keyboard()),
            "links" => done().prompt(say("Where?").link("There", "actor", "7")),
            "photo" => done().prompt(say("<One>".to_owned()).photos(["p1"])),
            "album" => done().prompt(say("Both").photos(["p1", "p2"])),
            "album-with-links" => {
                let prompt = say("Both").photos(["p1", "p2"]);
                done().prompt(prompt.link("There", "actor", "7"))
            }
            "bare-album-with-links" => {
                let prompt = say("").photos(["p1", "p2"]);
                done().prompt(prompt.link("There", "actor", "7"))
            }
            "long" => done().prompt(say(long_text()).link("There", "actor", "7")),
            "list" => done().prompt(say(format!("List {rest}")).in_place("list")),
            "list-with-words" => {
                let prompt = say(format!("List {rest}")).in_place("list");
                done().prompt(prompt.offers(["Left", "Right"]))
            }
            "list-with-photo" => {
                let prompt = say(format!("List {rest}")).in_place("list");
                done().prompt(prompt.photos(["p1"]))
            }
            "long-list" => done().prompt(say(long_text()).in_place("list")),
            "three" => done().prompt(say(format!("Three {rest}")).photos(["p1", "p2", "p3"])),
            "forget" => done().delete("list"),
            "reply" => done().prompt(say("You said?").replies_to(42)),
            "typing" => done().typing().say("Well."),
            "note" => {
                let prompt = say(format!("Note {rest}")).in_place("note");
                done().prompt(prompt.then_record(json!({ "do": "note" })))
            }
            "bare-note" => {
                let mut prompt = say("Note");
                prompt.then = Some(json!("note"));
                done().prompt(prompt)
            }
            "tell-note" => {
                let prompt = say("Hear this").then_record(json!({ "do": "forbid" }));
                done().say("Told.").tell(OFFICE, prompt)
            }
            "tell-kept" => {
                let prompt = say("Hear this").then_record(json!({ "do": "note" }));
                done().say("Told.").tell(OFFICE, prompt)
            }
            "tell" => done().say("Told.").tell(OFFICE, say(format!("Hear {rest}"))),
            other => done().say(other.to_owned()),
        })
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Well?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("A word, please.").map(|_| done())
    }
}

/// A text of many paragraphs, each with something to escape, over Telegram's limit.
fn long_text() -> String {
    let paragraph = |number: usize| format!("{number} <b>&amp; {}", "word ".repeat(60));
    (0..30).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// Takes things that only one can have: `/take it`. Knows what to say when somebody else was faster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(crate) enum Coupon {
    /// It is theirs, and has a colour.
    Colour,
}

impl Flow for Coupon {
    const NAME: &'static str = "coupon";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Command(Command { name, arg }) if name == "take" => {
                let step = done().record(json!({ "do": "take", "what": arg }));
                Some(step.say("It is yours.").tell(OFFICE, say(format!("{arg} is taken"))))
            }
            Input::Command(Command { name, arg }) if name == "boast" => {
                let step = done().say("It is yours.").tell(OFFICE, say("It is gone."));
                Some(step.record(json!({ "do": "take", "what": arg })))
            }
            Input::Command(Command { name, arg }) if name == "claim" => {
                let take = json!({ "do": "take", "what": arg, "is_claim": true });
                Some(done().record(take).say("It is yours."))
            }
            Input::Command(Command { name, arg }) if name == "do" => {
                Some(done().record(json!({ "do": arg })).say("It is done."))
            }
            Input::Command(Command { name, .. }) if name == "count" => {
                let count: u64 = turn.read("count");
                Some(done().say(format!("{count} so far")))
            }
            Input::Refused(refusal) if refusal.command["is_claim"] == true => {
                let step = done().say("Somebody else was faster.");
                Some(step.tell(OFFICE, say("It was claimed in vain.")))
            }
            Input::Refused(refusal) if refusal.reason == "taken" => {
                Some(done().say("Somebody else was faster."))
            }
            _ => None,
        }
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match turn.is_command("count") {
            true => vec![read("count", "")],
            false => Vec::new(),
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Which colour?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("A colour, please.").map(|_| done())
    }
}

/// Goes on at once, whatever becomes of its record, and does not know of refusals: `/order it`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(crate) enum Hasty {
    /// How many?
    Count,
    /// Takes everything in silence.
    Silent,
    /// Wants to know how many there are, whatever it hears.
    Curious,
}

impl Flow for Hasty {
    const NAME: &'static str = "hasty";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        let Input::Command(Command { name, arg }) = &turn.input else {
            return None;
        };
        let next = match name.as_str() {
            "order" => Self::Count,
            "hush" => Self::Silent,
            "wonder" => Self::Curious,
            _ => return None,
        };
        let step = goto(next).record(json!({ "do": "take", "what": arg }));
        Some(step.say("Ordered."))
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Curious => vec![read("count", "")],
            Self::Count | Self::Silent => Vec::new(),
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("How many?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        match self {
            Self::Count => turn.text("A number, please.").map(|_| done()),
            Self::Silent if turn.input == Input::Text("end".into()) => Ok(done().say("The end.")),
            Self::Silent => Ok(keep(Self::Silent)),
            Self::Curious => Ok(done().say(format!("{} so far", turn.read::<u64>("count")))),
        }
    }
}

/// Records in memory: each command once.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) is_away: AtomicBool,
    /// How often it was asked to write.
    pub(crate) tries: AtomicU32,
    known: Mutex<HashMap<String, Verdict>>,
    taken: Mutex<HashMap<String, i64>>,
    written: Mutex<Vec<Value>>,
}

impl Ledger {
    /// What was written, in order.
    pub(crate) fn written(&self) -> Vec<Value> {
        self.written.lock().expect("the ledger").clone()
    }

    fn once(&self, order: &Order) -> Verdict {
        let verdict = match order.command["do"].as_str() {
            Some("take") => {
                let what = order.command["what"].as_str().unwrap_or_default();
                let mut taken = self.taken.lock().expect("the ledger");
                let owner = taken.entry(what.to_owned()).or_insert(order.key.user);
                match *owner == order.key.user {
                    true => Verdict::Applied,
                    false => Verdict::Refused("taken".to_owned()),
                }
            }
            Some("break") => Verdict::Broken("no such table".to_owned()),
            Some("forbid") => Verdict::Refused("not today".to_owned()),
            _ => Verdict::Applied,
        };
        if verdict == Verdict::Applied {
            let mut written = self.written.lock().expect("the ledger");
            written.push(order.command.clone());
        }
        verdict
    }
}

#[async_trait]
impl Records for Ledger {
    async fn run(&self, order: &Order) -> Verdict {
        self.tries.fetch_add(1, Ordering::Relaxed);
        if order.command["do"] == "slow" {
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
        if order.command["do"] == "crawl" {
            tokio::time::sleep(Duration::from_millis(4000)).await;
        }
        if self.is_away.load(Ordering::Relaxed) {
            return Verdict::Unavailable("away".to_owned());
        }
        if order.command["do"] == "never" {
            return Verdict::Unavailable("this one waits for ever".to_owned());
        }
        let mut known = self.known.lock().expect("the ledger");
        let verdict = known.entry(order.effect.clone());
        verdict.or_insert_with(|| self.once(order)).clone()
    }

    async fn fetch(&self, _: &DialogueKey, _: &steadfast::dialogue::Read) -> Result<Value, Unread> {
        Ok(json!(self.written().len()))
    }
}

/// What a replica is built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// It does not know the command `{ "do": "novel" }` yet.
    Old,
    /// It knows everything.
    New,
}

/// The records as an old build knows them.
#[derive(Debug)]
struct Dated(Arc<Ledger>);

#[async_trait]
impl Records for Dated {
    async fn run(&self, order: &Order) -> Verdict {
        match order.command["do"] == "novel" {
            true => Verdict::Unknown("no command is named `novel`".to_owned()),
            false => self.0.run(order).await,
        }
    }

    async fn fetch(
        &self,
        key: &DialogueKey,
        read: &steadfast::dialogue::Read,
    ) -> Result<Value, Unread> {
        self.0.fetch(key, read).await
    }
}

/// A bot with two replicas in this process.
pub(crate) struct Company {
    pub(crate) api: BotApi,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) ledger: Arc<Ledger>,
    replicas: [Pipeline; 2],
    update: AtomicU32,
    stop: CancellationToken,
    ears: Ears,
}

impl Company {
    /// On a store in memory.
    pub(crate) async fn meet() -> Self {
        Self::meet_at(Arc::new(Memory::new())).await
    }

    /// On this store.
    pub(crate) async fn meet_at(store: Arc<dyn Store>) -> Self {
        Self::raise(store, [Build::New; 2]).await
    }

    /// With replicas of these builds.
    pub(crate) async fn of(builds: [Build; 2]) -> Self {
        Self::raise(Arc::new(Memory::new()), builds).await
    }

    async fn raise(store: Arc<dyn Store>, builds: [Build; 2]) -> Self {
        let ears = Ears::prick();
        let (api, stop) = (BotApi::start(), CancellationToken::new());
        let ledger = Arc::<Ledger>::default();
        let [first, second] = builds;
        let first = replica(&api, &store, &ledger, first, &stop);
        let second = replica(&api, &store, &ledger, second, &stop);
        let replicas = [first, second];
        Self { api, store, ledger, replicas, update: AtomicU32::new(100), stop, ears }
    }

    /// What was logged so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.ears.lines()
    }

    /// What turns are played in, at the first replica.
    pub(crate) fn pipeline(&self) -> Pipeline {
        self.replicas[0].clone()
    }

    /// Delivers what this person types, to one of the replicas.
    pub(crate) async fn try_hear(&self, user: i64, words: &str) -> Result<Outcome, TurnError> {
        let id = self.update.fetch_add(1, Ordering::Relaxed);
        // A number may well be that of a chat.
        if words.split(' ').all(|word| word.parse::<i64>().is_err()) {
            whispers::say(words);
        }
        let incoming = typed(id, user, words);
        let replica = &self.replicas[id as usize % 2];
        replica.clone().oneshot(incoming).await
    }

    /// As [`Self::try_hear`], for what must be taken in.
    pub(crate) async fn hear(&self, user: i64, words: &str) {
        let moved = self.try_hear(user, words).await;
        moved.unwrap_or_else(|error| panic!("{words}: {error}"));
    }

    /// A new person does this; answers who, and the first call it leads to.
    pub(crate) async fn shows(&self, words: &str) -> (i64, super::bot_api::Call) {
        let user = someone();
        self.hear(user, words).await;
        let call = super::patience::until(format!("`{words}` leads to a call"), async || {
            let mut calls = self.api.calls().into_iter();
            calls.find(|call| call.chat() == user)
        })
        .await;
        (user, call)
    }

    /// The dead letters.
    pub(crate) async fn letters(&self) -> Vec<Value> {
        let letters = self.store.dead_letters(100).await.expect("letters");
        let read = |letter: &bytes::Bytes| serde_json::from_slice(letter).expect("JSON");
        letters.iter().map(read).collect()
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn replica(
    api: &BotApi,
    store: &Arc<dyn Store>,
    ledger: &Arc<Ledger>,
    build: Build,
    stop: &CancellationToken,
) -> Pipeline {
    let records: Arc<dyn Records> = match build {
        Build::Old => Arc::new(Dated(Arc::clone(ledger))),
        Build::New => Arc::clone(ledger) as _,
    };
    let texts = Texts::default().with("en", TEXTS);
    let flows = Repertoire::new(texts).with::<Actor>().with::<Coupon>().with::<Hasty>();
    let telegram = Telegram::new(&api.url(), &TOKEN.into());
    let (peers, (leased, receiver)) = (Peers::default(), LeasedQueues::channel());
    let desk = Desk {
        store: Arc::clone(store),
        records: Arc::clone(&records),
        leased,
        peers: peers.clone(),
    };
    let pipeline = turn::build(Arc::new(flows), &Edges::default(), desk, false, &[]);
    let (turns, others) = (pipeline.clone(), peers.clone());
    let outbox = Outbox::new(Arc::clone(store), telegram, records, turns, others, receiver);
    let info = Info {
        version: format!("{build:?}"),
        schemas: std::collections::BTreeMap::new(),
        secrets: std::collections::BTreeSet::new(),
    };
    let beats = replica::beat(Arc::clone(store), info, peers.clone(), None, stop.clone());
    tokio::spawn(beats);
    let (store, stop) = (Arc::clone(store), stop.clone());
    tokio::spawn(sweeper::sweep(store, pipeline.clone(), outbox, peers, stop));
    pipeline
}

fn typed(id: u32, user: i64, words: &str) -> Event {
    let command = Command::parse(words).map(|(command, _)| Input::Command(command));
    Event {
        cause: Cause::Update(id),
        kind: "message",
        key: DialogueKey { chat: user, user, topic: None },
        person: Person {
            name: "Tom <b>& Co".to_owned(),
            username: String::new(),
            language: "en".to_owned(),
            topic: None,
        },
        sent: None,
        stamp: "1800000000".to_owned(),
        callback: None,
        input: command.unwrap_or_else(|| Input::Text(words.to_owned())),
        reply_to: None,
        settles: None,
        raw: "as it came".into(),
        received: Instant::now(),
    }
}
