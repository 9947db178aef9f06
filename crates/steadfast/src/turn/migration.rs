//! A group that became another chat: its dialogues move along.
//!
//! When a group becomes a supergroup it has another number, and the dialogues in it are kept under the old one. Both numbers are
//! [noted](note) in the store when Telegram says so; a dialogue moves when its person next says something, or when its time
//! comes. The two places are in different partitions, so it takes three commits, each with a version check:
//!
//! | | old place | new place |
//! |---|---|---|
//! | 1 | sealed: no turn is played there any more, the dialogue is kept in the seal | – |
//! | 2 | sealed | the dialogue, unless there is one |
//! | 3 | an empty seal, which keeps the seen marks and shows the way | the dialogue |
//!
//! A seal that is not empty has a timer, so that a move which was broken off is finished by whoever finds it due. Every commit
//! finds out whether it was done before.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::store::{
    self, Cause, Commit, Committed, DialogueKey, LANE_LEASE, LaneKind, Loaded, Millis, Next,
    Person, SEEN_FOR, Snapshot, Store, Token,
};

/// What a sealed dialogue is counted under.
const LABEL: &str = "moving/chat";
/// How often to look again because others were faster.
const MAX_ATTEMPTS: u32 = 8;
/// How every seal begins, and no dialogue.
const BEGINNING: &[u8] = br#"{"moved":"#;

/// Where a chat comes from, or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// It was this chat.
    From(i64),
    /// It is this chat now.
    To(i64),
}

/// Why a dialogue could not be moved now.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store is out of reach.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Records of the old chat are still to be written; if one is refused, its flow must hear of it. Or messages to it are still
    /// to be sent, which come to the new chat before whatever is said there.
    #[error("records and messages of the chat it was are still on their way")]
    Pending,
    /// Others were faster, again and again.
    #[error("the dialogue changed {MAX_ATTEMPTS} times while it was moved")]
    Contended,
}

/// What lies in the old place of a dialogue.
#[derive(Debug, Serialize, Deserialize)]
pub struct Seal {
    /// The chat it moves to.
    pub moved: i64,
    /// The dialogue, until it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left: Option<Left>,
}

/// A dialogue on its way.
#[derive(Debug, Serialize, Deserialize)]
struct Left {
    labels: Vec<String>,
    due: Option<Millis>,
    body: Box<RawValue>,
}

impl Seal {
    /// Reads a seal, if it is one.
    pub fn read(body: Option<&[u8]>) -> Option<Self> {
        let body = body.filter(|body| body.starts_with(BEGINNING))?;
        serde_json::from_slice(body).ok()
    }

    /// The seal as what a record becomes; `due` is when someone else should look after it.
    pub fn next(&self, due: Option<Millis>) -> Next {
        let labels = self.left.iter().map(|_| LABEL.to_owned());
        Next {
            labels: labels.collect(),
            body: self.write(),
            due: due.filter(|_| self.left.is_some()),
            idle: SEEN_FOR,
        }
    }

    fn write(&self) -> Bytes {
        let json = serde_json::to_vec(self).expect("a seal is plain data");
        json.into()
    }
}

/// Notes that a group became another chat. To be repeated when it fails.
pub async fn note(store: &dyn Store, from: i64, to: i64) -> store::Result<()> {
    for (chat, way) in [(to, Way::From(from)), (from, Way::To(to))] {
        let value = serde_json::to_vec(&way).expect("a way is plain data");
        let kept = store.kept(&name(chat)).await?;
        store.keep(&name(chat), kept.as_deref(), &value).await?;
    }
    Ok(())
}

/// What is known of a chat that became another, or was another.
pub async fn way(store: &dyn Store, chat: i64) -> store::Result<Option<Way>> {
    let kept = store.kept(&name(chat)).await?;
    Ok(kept.and_then(|kept| serde_json::from_slice(&kept).ok()))
}

fn name(chat: i64) -> String {
    format!("chat:{chat}")
}

/// A dialogue that moves, or whose move is finished.
#[derive(Debug)]
pub struct Move<'a> {
    /// Where it is kept.
    pub store: &'a dyn Store,
    /// Its old place.
    pub from: DialogueKey,
    /// Its new place.
    pub to: DialogueKey,
    /// Why there is a turn that it is moved for.
    pub cause: Cause,
    /// That turn.
    pub turn: Token,
    /// Whether messages to the old chat are waited for: not for ever, or a chat that cannot be written to would take nothing in.
    pub is_patient: bool,
}

impl Move<'_> {
    /// Moves it, wherever it stands. Nothing to move is fine.
    pub async fn finish(&self) -> Result<(), Error> {
        if self.is_patient && self.has_messages().await? {
            return Err(Error::Pending);
        }
        for _ in 0..MAX_ATTEMPTS {
            if self.advance().await? {
                return Ok(());
            }
        }
        Err(Error::Contended)
    }

    /// Whether messages to the old chat are still to be sent. They go to the new one, and would come there behind what this turn says.
    async fn has_messages(&self) -> Result<bool, Error> {
        let waiting = self.store.waiting(self.from.chat, 1).await?;
        let mut kinds = waiting.iter().map(|(kind, _)| *kind);
        Ok(kinds.any(|kind| kind == LaneKind::Messages))
    }

    /// Goes one step; `true`: there is none left.
    async fn advance(&self) -> Result<bool, Error> {
        let Some(there) = self.store.peek(&self.from).await? else {
            return Ok(true);
        };
        let Some(snapshot) = self.load(&self.from).await? else {
            return Ok(true);
        };
        match Seal::read(Some(&there.body)) {
            Some(Seal { left: None, .. }) => Ok(true),
            Some(Seal { left: Some(left), .. }) => self.unpack(&left, there.version).await,
            None if snapshot.pending > 0 => Err(Error::Pending),
            None => self.seal(there, snapshot.now).await,
        }
    }

    async fn load(&self, key: &DialogueKey) -> Result<Option<Snapshot>, Error> {
        match self.store.load(key, self.cause, self.turn).await? {
            Loaded::Fresh(snapshot) => Ok(Some(snapshot)),
            Loaded::Duplicate => Ok(None),
        }
    }

    /// Seals the old place. What cannot be sealed stays there, and the person begins anew.
    async fn seal(&self, there: Person, now: Millis) -> Result<bool, Error> {
        let Ok(body) = serde_json::from_slice(&there.body) else {
            return Ok(true);
        };
        let left = Left { labels: there.labels, due: there.due, body };
        let seal = Seal { moved: self.to.chat, left: Some(left) };
        let due = now + LANE_LEASE.as_millis() as Millis;
        let sealed = order(there.version, now, seal.next(Some(due)));
        match self.store.commit(&self.from, &sealed).await {
            Err(store::Error::TooLarge { .. }) => Ok(true),
            sealed => Ok(sealed.map(|_| false)?),
        }
    }

    /// Puts what is in the seal into the new place, unless something is there, and empties the seal.
    async fn unpack(&self, left: &Left, sealed: u64) -> Result<bool, Error> {
        let Some(here) = self.load(&self.to).await? else {
            return Ok(true);
        };
        if here.body.is_none() && here.unreadable.is_none() {
            let moved = order(here.version, here.now, left.next());
            let moved = self.store.commit(&self.to, &moved).await?;
            if !matches!(moved, Committed::Done(_)) {
                return Ok(false);
            }
        }
        let empty = Seal { moved: self.to.chat, left: None };
        // Whoever was faster has done the same.
        let emptied = order(sealed, here.now, empty.next(None));
        self.store.commit(&self.from, &emptied).await?;
        Ok(true)
    }
}

impl Left {
    /// As what a record becomes.
    fn next(&self) -> Next {
        Next {
            labels: self.labels.clone(),
            body: Bytes::copy_from_slice(self.body.get().as_bytes()),
            due: self.due,
            idle: SEEN_FOR,
        }
    }
}

/// A commit that only changes the record.
fn order(expected: u64, loaded_at: Millis, next: Next) -> Commit {
    Commit {
        turn: Token::fresh(),
        cause: Cause::Order,
        expected,
        loaded_at,
        next,
        messages: Vec::new(),
        jobs: Vec::new(),
        dead: None,
        settles: None,
    }
}
