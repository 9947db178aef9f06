//! A whole bot in one process, without HTTP: a pipeline over a store in memory, and a flow that can do everything wrong.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Command, Dialogue, Edges, Effect, Message, Person};
use steadfast::outbox::Outbox;
use steadfast::outbox::telegram::Telegram;
use steadfast::records::{Order, Records, Unread, Verdict};
use steadfast::replica::{self, Info, Peers};
use steadfast::store::{
    Cause, Commit, Committed, DialogueKey, Loaded, Millis, Next, SEEN_FOR, Store, Token,
};
use steadfast::turn::Event;
use steadfast::turn::{self, Desk, LeasedQueues, Outcome, Pipeline, TurnError, TurnLayer};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::bed::Bed;
use super::watched::Watched;

/// Somebody in a private chat.
pub(crate) const ANN: DialogueKey = DialogueKey { chat: 5, user: 5, topic: None };
/// Another chat, which ANN's flow may tell something.
pub(crate) const OFFICE: i64 = -900;

/// What the engine says here: the keys, so that a test names what is said and not how.
const KEYS: [&str; 8] = [
    "start",
    "not-understood",
    "reply-later",
    "nothing-to-cancel",
    "newer-state",
    "expired",
    "apology",
    "apology-cleared",
];

/// A flow that can do everything wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(crate) enum Fragile {
    Word {
        count: u32,
    },
    /// Ends when it fails.
    Last,
    Look,
    Large {
        text: String,
    },
    /// Fails when it expires.
    Bomb,
}

impl Flow for Fragile {
    const NAME: &'static str = "fragile";
    const HEARS_REPLIES: bool = true;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        assert_ne!(turn.input, Input::Text("boom".into()), "at the very first word");
        turn.begins(Self::NAME).then(|| goto(Self::Word { count: 0 }))
    }

    fn ask(&self, view: &Context) -> Prompt {
        match self {
            Self::Word { count } => say(format!("Word {count}?")),
            Self::Look => say(view.read::<String>("thing")),
            Self::Last | Self::Large { .. } | Self::Bomb => say("Well?"),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        let word = turn.text("A word, please.")?;
        let Self::Word { count } = self else {
            panic!("no answer is right");
        };
        Ok(match word.as_str() {
            "boom" => panic!("at this word"),
            "last" => goto(Self::Last),
            "look" => goto(Self::Look),
            "bomb" => goto(Self::Bomb),
            "large" => goto(Self::Large { text: "x".repeat(70_000) }),
            "tell" => done().say("Told.").tell(OFFICE, say("Hear!")),
            _ => goto(Self::Word { count: count + 1 }),
        })
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        let is_lost = turn.input == Input::Text("lost".to_owned());
        match turn.is_command("start") || is_lost || turn.reply_to.is_some() {
            true => vec![read("welcome", "")],
            false => Vec::new(),
        }
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Look => vec![read("thing", "")],
            _ => Vec::new(),
        }
    }

    fn ttl(&self) -> Duration {
        Duration::from_secs(60)
    }

    fn expire(self, _: &Context) -> Step<Self> {
        match self {
            Self::Bomb => panic!("at its time"),
            state => park(state),
        }
    }

    fn on_error(&self) -> OnError {
        match self {
            Self::Last => OnError::Clear,
            _ => OnError::Rollback,
        }
    }
}

/// Records that are there or not.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) is_away: AtomicBool,
    /// Whatever is asked for can never be had.
    pub(crate) is_broken: AtomicBool,
    /// Whoever asks panics.
    pub(crate) panics: AtomicBool,
    /// Whoever asks waits for ever.
    pub(crate) hangs: AtomicBool,
}

#[async_trait]
impl Records for Shelf {
    async fn run(&self, _: &Order) -> Verdict {
        Verdict::Broken("a shelf is only read".to_owned())
    }

    async fn fetch(
        &self,
        _: &DialogueKey,
        read: &steadfast::dialogue::Read,
    ) -> Result<Value, Unread> {
        if self.is_away.load(Ordering::Relaxed) {
            return Err(Unread::Unavailable("away".to_owned()));
        }
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(Unread::Broken("torn".to_owned()));
        }
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        assert!(!self.panics.load(Ordering::Relaxed), "the shelf falls down");
        Ok(json!(format!("the {}", read.name)))
    }
}

/// A bot, its store and its records.
pub(crate) struct Stage {
    pub(crate) bed: Bed,
    pub(crate) store: Arc<Watched>,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) pipeline: Pipeline,
    pub(crate) peers: Peers,
    update: AtomicU32,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A bot whose turns go through these layers.
    pub(crate) async fn with(layers: &[TurnLayer]) -> Self {
        let bed = Bed::memory().await;
        let store = Arc::new(Watched::new(Arc::clone(&bed.store)));
        let (shelf, peers) = (Arc::<Shelf>::default(), Peers::default());
        let pipeline = bot(Arc::clone(&store) as _, Arc::clone(&shelf), peers.clone(), layers);
        Self { bed, store, shelf, pipeline, peers, update: AtomicU32::new(100) }
    }

    /// Another replica over the same store.
    pub(crate) fn replica(&self) -> Pipeline {
        let (store, shelf) = (Arc::clone(&self.store), Arc::clone(&self.shelf));
        bot(store as _, shelf, self.peers.clone(), &[])
    }

    /// An update in which ANN types this.
    pub(crate) fn update(&self, text: &str) -> Event {
        let id = self.update.fetch_add(1, Ordering::Relaxed);
        let command = Command::parse(text).map(|(command, _)| Input::Command(command));
        let input = command.unwrap_or_else(|| Input::Text(text.to_owned()));
        incoming(Cause::Update(id), input)
    }

    /// The timer of ANN's dialogue as a sweeper finds it now.
    pub(crate) async fn timer(&self) -> Event {
        let due = self.person().await.and_then(|person| person.due);
        incoming(Cause::Timer(due.expect("a timer")), Input::Timer)
    }

    /// The moment, by the store's clock.
    pub(crate) async fn now(&self) -> Millis {
        self.bed.fresh(&ANN, Cause::Order).await.now
    }

    /// Delivers an update.
    pub(crate) async fn deliver(&self, incoming: &Event) -> Result<Outcome, TurnError> {
        let incoming = Event { received: Instant::now(), ..incoming.clone() };
        self.pipeline.clone().oneshot(incoming).await
    }

    /// Delivers something that must be taken in, word by word.
    pub(crate) async fn say(&self, texts: &[&str]) -> Outcome {
        let mut moved = None;
        for text in texts {
            moved = Some(self.deliver(&self.update(text)).await.expect("it is taken in"));
        }
        moved.expect("something was said")
    }

    /// Kills the process in the middle of dealing with this: it is loaded and nothing more.
    pub(crate) async fn die(&self, incoming: &Event) {
        let load = self.bed.load(&incoming.key, incoming.cause, Token::fresh());
        assert!(matches!(load.await, Ok(Loaded::Fresh(_))));
    }

    /// Puts a body into the store as another build would have.
    pub(crate) async fn write(&self, body: &str, label: &str) {
        self.write_as(&ANN, body, vec![label.to_owned()]).await;
    }

    /// Puts a body there of somebody who is idle.
    pub(crate) async fn write_at(&self, key: &DialogueKey, body: &str) {
        self.write_as(key, body, Vec::new()).await;
    }

    async fn write_as(&self, key: &DialogueKey, body: &str, labels: Vec<String>) {
        let cause = Cause::Order;
        let turn = Token::fresh();
        let Ok(Loaded::Fresh(snapshot)) = self.bed.load(key, cause, turn).await else {
            panic!("{key} can be loaded");
        };
        let commit = Commit {
            turn,
            cause,
            expected: snapshot.version,
            loaded_at: snapshot.now,
            next: Next {
                labels,
                body: body.to_owned().into(),
                due: Some(snapshot.now + 60_000),
                idle: SEEN_FOR,
            },
            messages: Vec::new(),
            jobs: Vec::new(),
            dead: None,
            settles: None,
        };
        let committed = self.bed.commit(key, &commit).await;
        assert!(matches!(committed, Ok(Committed::Done(_))));
    }

    /// A replica that reads these schemas gives a sign of life.
    pub(crate) async fn meets(&self, flow: &str, schema: u32) {
        let info = Info {
            version: "9".to_owned(),
            schemas: BTreeMap::from([(flow.to_owned(), schema)]),
            secrets: std::collections::BTreeSet::new(),
        };
        let (store, peers) = (Arc::clone(&self.bed.store), self.peers.clone());
        tokio::spawn(replica::beat(store, info, peers, None, CancellationToken::new()));
        while !self.peers.read(flow, schema) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// ANN as the store knows her.
    pub(crate) async fn person(&self) -> Option<steadfast::store::Person> {
        self.bed.peek(&ANN).await.expect("a look")
    }

    /// ANN's dialogue.
    pub(crate) async fn dialogue(&self) -> Dialogue {
        let body = self.person().await.map(|person| person.body);
        Dialogue::read(body.as_deref()).expect("a readable dialogue")
    }

    /// What ANN's dialogue is counted under.
    pub(crate) async fn labels(&self) -> Vec<String> {
        self.person().await.map(|person| person.labels).unwrap_or_default()
    }

    /// The dead letters.
    pub(crate) async fn letters(&self) -> Vec<Value> {
        let letters = self.bed.dead_letters(100).await.expect("the letters");
        let read =
            |letter: &bytes::Bytes| serde_json::from_slice(letter).expect("a letter is JSON");
        letters.iter().map(read).collect()
    }

    /// What waits to be said to ANN.
    pub(crate) async fn waiting(&self) -> Vec<String> {
        let lanes = self.bed.waiting(ANN.chat, 100).await.expect("the lanes");
        let items = lanes.into_iter().flat_map(|(_, items)| items);
        items.map(|item| message(&item.body).text).collect()
    }

    /// What the last commit said at home.
    pub(crate) fn said(&self) -> Vec<String> {
        let commits = self.store.commits();
        let (_, commit) = commits.last().expect("a commit");
        let texts = commit.messages.iter().map(|item| message(&item.body).text);
        texts.collect()
    }
}

fn bot(store: Arc<dyn Store>, shelf: Arc<Shelf>, peers: Peers, layers: &[TurnLayer]) -> Pipeline {
    let texts = KEYS.map(|key| format!("{key} = {key}\n")).concat();
    let texts = Texts::default().with("en", &texts);
    let repertoire = Repertoire::new(texts).with::<Fragile>();
    let (leased, receiver) = LeasedQueues::channel();
    let desk = Desk {
        store: Arc::clone(&store),
        records: Arc::clone(&shelf) as _,
        leased,
        peers: peers.clone(),
    };
    let pipeline = turn::build(Arc::new(repertoire), &Edges::default(), desk, false, layers);
    // Nobody listens there: what is said stays in its lane.
    let telegram = Telegram::new("http://127.0.0.1:9", &"1:x".into());
    Outbox::new(store, telegram, shelf, pipeline.clone(), peers, receiver);
    pipeline
}

/// Something that happens in ANN's dialogue.
pub(crate) fn incoming(cause: Cause, input: Input) -> Event {
    Event {
        cause,
        kind: "message",
        key: ANN,
        person: Person {
            name: "Ann".to_owned(),
            username: String::new(),
            language: "en".to_owned(),
            topic: None,
        },
        sent: None,
        stamp: "1800000000".to_owned(),
        callback: None,
        input,
        reply_to: None,
        settles: None,
        raw: "as it came".into(),
        received: Instant::now(),
    }
}

/// The message in an effect.
pub(crate) fn message(body: &[u8]) -> Message {
    match serde_json::from_slice(body) {
        Ok(Effect::Send(message)) => *message,
        other => panic!("not a message: {other:?}"),
    }
}
