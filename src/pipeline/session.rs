//! Load, step, commit: the heart of a turn.
//!
//! No locks: the commit checks the version, and the pure step is run again on the fresh state when someone else was first. A turn
//! that fails is counted in the store, comes again, and after [`MAX_TRIES`] is put aside as a dead letter.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use metrics::{Counter, counter};
use serde_json::json;
use tower::{Layer, Service, ServiceExt as _};

use super::pardon::Pardons;
use super::player::Unplayed;
use super::sources::Sources;
use super::turnstile::Turnstile;
use super::{Error, Moved, Outcome};
use crate::dialogue::{
    Command, Dialogue, Effect, Halt, How, Input, Played, RECORD, Read, Reads, Record, Scene, Turn,
    Unreadable, View,
};
use crate::letter::{Kind, Letter};
use crate::migration::{self, Move, Seal, Way};
use crate::outbox::Outbox;
use crate::records::person::Meet;
use crate::replica::Peers;
use crate::store::{
    self, Cause, Commit, Committed, Item, Key, Loaded, MAX_BODY_BYTES, Next, Receipt, Snapshot,
    Store, Token,
};
use crate::update::Incoming;

/// How often a step is run again because someone else was first.
const MAX_ATTEMPTS: u32 = 8;
/// How often a turn may fail before it is put aside.
pub const MAX_TRIES: u32 = 3;
/// How often reads may ask for further reads.
const MAX_READS: u32 = 4;
/// How often, and in which steps, a turn that reads waits for the records of its home.
const PENDING_LOOKS: u32 = 10;
const PENDING_PAUSE: Duration = Duration::from_millis(100);
/// A turn older than this is not committed: Telegram may have given up on it and sent it elsewhere.
const MAX_AGE: Duration = Duration::from_secs(10);
/// Why a person has to begin anew.
const UNREAD: &str = "the record cannot be read";
/// How long to wait before believing that every try ended in death: they may still be under way on other replicas.
const DOUBT: Duration = Duration::from_secs(1);

/// What a session works with.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Where dialogues are kept.
    pub store: Arc<dyn Store>,
    /// Where reads come from.
    pub sources: Arc<dyn Sources>,
    /// Who carries effects out.
    pub outbox: Outbox,
    /// What the other replicas can read.
    pub peers: Peers,
}

/// Puts load and commit around each step. See the [module docs](self).
#[derive(Debug, Clone)]
pub struct SessionLayer {
    desk: Arc<Desk>,
}

impl SessionLayer {
    /// Sessions at this desk.
    pub fn new(desk: Desk) -> Self {
        Self {
            desk: Arc::new(desk),
        }
    }
}

impl<S> Layer<S> for SessionLayer {
    type Service = Session<S>;

    fn layer(&self, inner: S) -> Session<S> {
        Session {
            inner,
            desk: Arc::clone(&self.desk),
            turnstile: Turnstile::new(),
            pardons: Pardons::new(Arc::clone(&self.desk.store)),
            counters: Counters::new(),
        }
    }
}

/// The service of [`SessionLayer`].
#[derive(Debug, Clone)]
pub struct Session<S> {
    inner: S,
    desk: Arc<Desk>,
    turnstile: Turnstile,
    pardons: Pardons,
    counters: Counters,
}

#[derive(Debug, Clone)]
struct Counters {
    conflicts: Counter,
    retries: Counter,
    crowded: Counter,
    dead: Counter,
    unreadable: Counter,
}

impl Counters {
    fn new() -> Self {
        Self {
            conflicts: counter!("steadfast_commit_conflicts_total"),
            retries: counter!("steadfast_commit_retries_total"),
            crowded: counter!("steadfast_seen_crowded_out_total"),
            dead: counter!("steadfast_updates_dead_lettered_total", "reason" => "failed"),
            unreadable: counter!("steadfast_records_unreadable_total"),
        }
    }
}

impl<S> Service<Incoming> for Session<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    type Response = Moved;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Moved, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let session = self.clone();
        Box::pin(async move { session.sit(incoming).await })
    }
}

/// A turn under way.
struct Sitting {
    incoming: Incoming,
    turn: Token,
    snapshot: Snapshot,
    attempts: u32,
}

/// A step that is ready to be committed, or the reason why there is none.
enum Ready {
    Step(Played),
    /// As a step, with a dead letter.
    Final(Played, Bytes),
    /// Nothing to do.
    Nothing(String),
}

impl<S> Session<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    async fn sit(&self, incoming: Incoming) -> Result<Moved, Error> {
        let _turn = self.turnstile.enter(&incoming.key).await;
        // Whoever waited too long was answered already.
        if incoming.received.elapsed() > MAX_AGE {
            return Err(Error::TooOld);
        }
        let Incoming { key, cause, .. } = incoming;
        self.pardons.settle(key, cause).await?;
        let mut sitting = Sitting {
            incoming,
            turn: Token::fresh(),
            snapshot: Snapshot::default(),
            attempts: 0,
        };
        let moved = self.load_and_turn(&mut sitting).await;
        if !is_guilty(&moved, sitting.snapshot.tries) {
            self.pardons.owe(sitting.incoming.key, cause, sitting.turn);
        }
        moved
    }

    async fn load_and_turn(&self, sitting: &mut Sitting) -> Result<Moved, Error> {
        if !self.load(sitting).await? {
            return Ok(Moved::nothing(Outcome::Duplicate, String::new()));
        }
        if let Some(over) = self.move_along(sitting).await? {
            return Ok(Moved::nothing(over, String::new()));
        }
        if sitting.snapshot.tries > MAX_TRIES {
            tokio::time::sleep(DOUBT).await;
            if !self.load(sitting).await? {
                return Ok(Moved::nothing(Outcome::Duplicate, String::new()));
            }
        }
        self.turns(sitting).await
    }

    /// Takes in how the dialogue stands; `false` if this update is committed already.
    async fn load(&self, sitting: &mut Sitting) -> Result<bool, Error> {
        let Sitting { incoming, turn, .. } = sitting;
        let store = &self.desk.store;
        match store.load(&incoming.key, incoming.cause, *turn).await? {
            Loaded::Fresh(snapshot) => sitting.snapshot = snapshot,
            Loaded::Duplicate => return Ok(false),
        }
        Ok(true)
    }

    /// Goes to where the dialogue is, if its group became another chat, or brings it here. Answers what it came to if that was
    /// all.
    async fn move_along(&self, sitting: &mut Sitting) -> Result<Option<Outcome>, Error> {
        let key = sitting.incoming.key;
        let is_readable = sitting.snapshot.unreadable.is_none();
        if key.chat >= 0 || sitting.incoming.settles.is_some() || !is_readable {
            return Ok(None);
        }
        let (from, to) = match (sitting.seal(), &sitting.snapshot.body) {
            (Some(seal), _) => (key.chat, seal.moved),
            (None, Some(_)) => return Ok(None),
            (None, None) => match migration::way(&*self.desk.store, key.chat).await? {
                Some(Way::From(from)) => (from, key.chat),
                Some(Way::To(to)) => (key.chat, to),
                None => return Ok(None),
            },
        };
        sitting.follow(&*self.desk.store, from, to).await?;
        if let Cause::Timer(_) = sitting.incoming.cause {
            return Ok(Some(Outcome::Applied));
        }
        let is_fresh = self.load(sitting).await?;
        Ok((!is_fresh).then_some(Outcome::Duplicate))
    }

    /// Runs the step until it is committed.
    async fn turns(&self, sitting: &mut Sitting) -> Result<Moved, Error> {
        while sitting.attempts < MAX_ATTEMPTS {
            sitting.attempts += 1;
            let (played, dead) = match self.step(sitting).await? {
                Ready::Step(played) => (played, None),
                Ready::Final(played, letter) => (played, Some(letter)),
                Ready::Nothing(toast) => return Ok(Moved::nothing(Outcome::Ignored, toast)),
            };
            if sitting.incoming.received.elapsed() > MAX_AGE {
                return Err(Error::TooOld);
            }
            let mut commit = sitting.commit(&played, dead);
            if self.desk.outbox.keeps_people() {
                commit.jobs.extend(sitting.meeting(played.effects.len()));
            }
            match self.commit(&sitting.incoming.key, &commit).await? {
                Committed::Done(receipt) => {
                    self.keep_other(sitting, &commit).await;
                    return Ok(self.done(sitting, commit, &receipt, played));
                }
                Committed::Duplicate => {
                    return Ok(Moved::nothing(Outcome::Duplicate, played.toast));
                }
                Committed::TooOld => return Err(Error::TooOld),
                Committed::Stale => return Err(Error::Stale),
                Committed::Conflict(snapshot) => self.conflict(sitting, snapshot).await,
            }
        }
        Err(Error::Contended(sitting.attempts))
    }

    /// A commit keeps one letter: where the turn has one of its own, that of the jobs follows.
    async fn keep_other(&self, sitting: &Sitting, commit: &Commit) {
        let settled = sitting.incoming.settles.as_ref();
        let letter = settled.and_then(|settled| settled.letter.as_ref());
        let Some(letter) = letter.filter(|letter| commit.dead.as_ref() != Some(letter)) else {
            return;
        };
        if let Err(error) = self.desk.store.entomb(letter.clone()).await {
            tracing::error!(%error, "the dead letter of a record could not be kept");
        }
    }

    async fn conflict(&self, sitting: &mut Sitting, snapshot: Snapshot) {
        self.counters.conflicts.increment(1);
        sitting.snapshot = snapshot;
        let most = 1 << sitting.attempts.min(5);
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..most))).await;
    }

    /// Makes the step, or what takes its place when it cannot be made.
    async fn step(&self, sitting: &mut Sitting) -> Result<Ready, Error> {
        if sitting.is_early() {
            return Ok(Ready::Nothing(String::new()));
        }
        // It moved while the step was made; whoever comes again finds it.
        if sitting.seal().is_some() && sitting.incoming.settles.is_none() {
            return Err(Error::Contended(sitting.attempts));
        }
        if sitting.snapshot.tries > MAX_TRIES {
            return self
                .give_up(
                    sitting,
                    "the process died, or the step failed, at every try",
                )
                .await;
        }
        match self.play(sitting, How::Play).await? {
            Ok(played) if is_too_large(&played) => self.failed(sitting, &too_large(&played)).await,
            Ok(played) if sitting.begins() && sitting.broken().is_some() => {
                let letter = letter(sitting, UNREAD);
                Ok(Ready::Final(played, letter))
            }
            // Jobs that are not answered would be asked about again and again.
            Ok(played) if played.changed || sitting.incoming.settles.is_some() => {
                Ok(Ready::Step(played))
            }
            Ok(played) => Ok(Ready::Nothing(played.toast)),
            Err(Unplayed::Broken) => self.give_up(sitting, UNREAD).await,
            Err(Unplayed::Halt(Halt::Newer { flow, schema })) => {
                self.keep_for_newer(sitting, flow, schema).await
            }
            Err(Unplayed::Halt(Halt::Needs(_))) => {
                self.failed(sitting, "the reads never came to an end").await
            }
            Err(Unplayed::Panicked) => {
                self.failed(sitting, "the step panicked; the log says where")
                    .await
            }
        }
    }

    /// Plays the scene, reading whatever it asks for.
    async fn play(&self, sitting: &Sitting, how: How) -> Result<Result<Played, Unplayed>, Error> {
        let mut reads = Reads::default();
        let mut played = self.play_with(sitting, how, &reads).await;
        for _ in 0..MAX_READS {
            let Err(Unplayed::Halt(Halt::Needs(needed))) = played else {
                break;
            };
            played = match self.read(sitting, needed, &mut reads).await {
                Ok(()) => self.play_with(sitting, how, &reads).await,
                // Nobody is trapped because the database is away.
                Err(Error::Records(_)) if sitting.begins_anew() => {
                    let how = How::WithoutReads;
                    self.play_with(sitting, how, &reads).await
                }
                Err(error) => return Err(error),
            };
        }
        Ok(played)
    }

    /// Fetches what a step wants to read.
    async fn read(
        &self,
        sitting: &Sitting,
        needed: Vec<Read>,
        reads: &mut Reads,
    ) -> Result<(), Error> {
        self.await_records(sitting).await?;
        for read in needed {
            let fetched = self.desk.sources.fetch(&sitting.incoming.key, &read).await;
            reads.insert(read, fetched.map_err(Error::Records)?);
        }
        Ok(())
    }

    /// Plays the scene with what was read. It is made anew for each play: most are played once, and need no copy.
    async fn play_with(
        &self,
        sitting: &Sitting,
        how: How,
        reads: &Reads,
    ) -> Result<Played, Unplayed> {
        let mut scene = sitting.scene(how)?;
        scene.turn.view.reads.clone_from(reads);
        self.inner.clone().oneshot(scene).await
    }

    /// What this home has caused must be in the records before anything is read from them. Whoever brings jobs to an end stands
    /// at the head of their lane: all before them is written, and what still stands there waits for this very turn.
    async fn await_records(&self, sitting: &Sitting) -> Result<(), Error> {
        let Incoming { key, cause, .. } = sitting.incoming;
        if sitting.incoming.settles.is_some() {
            return Ok(());
        }
        let mut pending = sitting.snapshot.pending;
        for _ in 0..PENDING_LOOKS {
            if pending == 0 {
                return Ok(());
            }
            tokio::time::sleep(PENDING_PAUSE).await;
            match self.desk.store.load(&key, cause, sitting.turn).await? {
                Loaded::Fresh(snapshot) => pending = snapshot.pending,
                Loaded::Duplicate => return Ok(()),
            }
        }
        Err(Error::Records(
            "those of this chat are still being written".to_owned(),
        ))
    }

    /// A state of a newer build: left to a replica that can read it, else kept and explained.
    async fn keep_for_newer(
        &self,
        sitting: &Sitting,
        flow: String,
        schema: u32,
    ) -> Result<Ready, Error> {
        let timer = matches!(sitting.incoming.cause, Cause::Timer(_));
        if !timer && self.desk.peers.read(&flow, schema) {
            return Err(Error::Newer { flow });
        }
        if timer || sitting.scene(How::KeepForNewer).is_err() {
            return Ok(Ready::Nothing(String::new()));
        }
        match self.play(sitting, How::KeepForNewer).await? {
            Ok(played) if played.changed => Ok(Ready::Step(played)),
            Ok(played) => Ok(Ready::Nothing(played.toast)),
            Err(_) => Ok(Ready::Nothing(String::new())),
        }
    }

    /// Counts a failure. The turn comes again, or is given up.
    async fn failed(&self, sitting: &mut Sitting, reason: &str) -> Result<Ready, Error> {
        let Sitting { incoming, turn, .. } = sitting;
        let mut tries = sitting.snapshot.tries;
        // Where nothing can be noted there is no second try.
        if sitting.snapshot.unreadable.is_some() {
            tries = MAX_TRIES;
        } else if tries == 0 {
            tries = self
                .desk
                .store
                .blame(&incoming.key, incoming.cause, *turn, true)
                .await?;
        }
        if tries < MAX_TRIES {
            return Err(Error::Failed {
                tries,
                reason: reason.to_owned(),
            });
        }
        // On what is there now, since blame may have made the record. If it is committed by now, the commit will say so.
        self.load(sitting).await?;
        self.give_up(sitting, reason).await
    }

    /// Ends the turn with a dead letter and an apology. Where the record is what nobody can read, the person begins anew.
    async fn give_up(&self, sitting: &Sitting, reason: &str) -> Result<Ready, Error> {
        let mut played = self.play(sitting, How::GiveUp).await?;
        if let Err(Unplayed::Halt(Halt::Newer { flow, schema })) = played {
            return self.keep_for_newer(sitting, flow, schema).await;
        }
        if !played.as_ref().is_ok_and(|played| !is_too_large(played)) {
            played = self.play(sitting, How::Clear).await?;
        }
        let played = played.map_err(|_| Error::Failed {
            tries: sitting.snapshot.tries,
            reason: reason.to_owned(),
        })?;
        Ok(Ready::Final(played, letter(sitting, reason)))
    }

    /// Commits; once more if it is not known whether it was done, which the turn's token makes safe.
    async fn commit(&self, key: &Key, commit: &Commit) -> Result<Committed, Error> {
        match self.desk.store.commit(key, commit).await {
            Err(store::Error::Unavailable { .. }) => {
                self.counters.retries.increment(1);
                Ok(self.desk.store.commit(key, commit).await?)
            }
            answer => Ok(answer?),
        }
    }

    /// Tells what was put aside: the update, or the record that it met, or the effect that it is about; in these cases the update
    /// was dealt with.
    fn put_aside(&self, letter: &[u8]) -> Outcome {
        let Letter {
            id,
            reason,
            kind,
            effect,
            ..
        } = Letter::read(letter);
        if kind == Kind::Effect {
            tracing::warn!(
                effect.id = effect,
                letter = id,
                reason,
                "an effect was put aside as a dead letter"
            );
            return Outcome::Applied;
        }
        if kind == Kind::Record {
            self.counters.unreadable.increment(1);
            tracing::error!(
                letter = id,
                "a record that cannot be read was put aside as a dead letter, and begun anew"
            );
            return Outcome::Applied;
        }
        self.counters.dead.increment(1);
        tracing::warn!(
            letter = id,
            reason,
            "an update was put aside as a dead letter"
        );
        Outcome::DeadLetter
    }

    fn done(&self, sitting: &Sitting, commit: Commit, receipt: &Receipt, played: Played) -> Moved {
        self.counters
            .crowded
            .increment(u64::from(receipt.crowded_out));
        let outcome = match &commit.dead {
            Some(letter) => self.put_aside(letter),
            None => Outcome::Applied,
        };
        self.desk.outbox.committed(
            sitting.incoming.key.chat,
            commit,
            receipt,
            sitting.incoming.received,
        );
        Moved {
            outcome,
            edges: played.edges,
            attempts: sitting.attempts,
            toast: played.toast,
        }
    }
}

/// Whether the try that the load noted shall stand. A commit has ended the count. What came to nothing may come again any number
/// of times, such as the timer of a state that only a newer build reads: its count must not grow. An error may be the store's: the
/// load may have noted the try although its answer was lost.
fn is_guilty(moved: &Result<Moved, Error>, tries: u32) -> bool {
    match moved {
        Ok(moved) => moved.outcome != Outcome::Ignored || tries <= 1,
        Err(error) => matches!(error, Error::Failed { .. }),
    }
}

/// A state over the ceiling is the step's own error: it would be as large at every try.
fn is_too_large(played: &Played) -> bool {
    played.changed && played.dialogue.write().len() > MAX_BODY_BYTES
}

/// A dead letter: what came, why it failed, how often it was tried; or the record that nobody can read.
fn letter(sitting: &Sitting, reason: &str) -> Bytes {
    let Sitting {
        incoming, snapshot, ..
    } = sitting;
    let letter = match sitting.broken() {
        Some(record) => Letter::of_record(&incoming.key, snapshot.now, &record),
        None => Letter::of_update(incoming, snapshot, reason),
    };
    letter.write()
}

fn too_large(played: &Played) -> String {
    let bytes = played.dialogue.write().len();
    store::Error::TooLarge { bytes }.to_string()
}

impl Sitting {
    /// What lies in the place of a dialogue that moved to another chat.
    fn seal(&self) -> Option<Seal> {
        Seal::read(self.snapshot.body.as_deref())
    }

    /// Sees to it that the dialogue is where its group is now, and goes there.
    async fn follow(&mut self, store: &dyn Store, from: i64, to: i64) -> Result<(), Error> {
        let Incoming { key, cause, .. } = self.incoming;
        let moving = Move {
            store,
            from: Key { chat: from, ..key },
            to: Key { chat: to, ..key },
            cause,
            turn: self.turn,
        };
        moving.finish().await?;
        self.incoming.key = moving.to;
        Ok(())
    }

    /// Whether this is a timer that was moved since it was found.
    fn is_early(&self) -> bool {
        let Snapshot {
            due,
            now,
            unreadable: None,
            ..
        } = self.snapshot
        else {
            return false;
        };
        match self.incoming.cause {
            Cause::Timer(found) => due.is_none_or(|due| due > found.max(now)),
            Cause::Update(_) | Cause::Order => false,
        }
    }

    /// Whether the person, or an operator, wants to begin anew, wherever the dialogue is.
    fn begins(&self) -> bool {
        match &self.incoming.input {
            Input::Command(command) => matches!(command.name.as_str(), "start" | "cancel"),
            input => *input == Input::Reset,
        }
    }

    /// What is there in the place of a dialogue that could be read.
    fn broken(&self) -> Option<Bytes> {
        let Snapshot {
            body, unreadable, ..
        } = &self.snapshot;
        let body = body
            .clone()
            .filter(|body| self.seal().is_none() && Dialogue::read(Some(body)).is_err());
        unreadable.clone().or(body)
    }

    /// The dialogue, or a blank one in the place of one that cannot be read: for who begins anew, and for an apology.
    fn dialogue(&self, how: How) -> Result<Dialogue, Unplayed> {
        let read = match &self.snapshot.unreadable {
            Some(_) => Err(Unreadable::Broken),
            None if self.seal().is_some() => Ok(Dialogue::default()),
            None => Dialogue::read(self.snapshot.body.as_deref()),
        };
        match read {
            Err(_) if self.begins() => Ok(Dialogue::default()),
            Err(Unreadable::Newer(schema)) => Err(Unplayed::Halt(Halt::Newer {
                flow: RECORD.to_owned(),
                schema,
            })),
            Err(Unreadable::Broken) if how == How::Clear => Ok(Dialogue::default()),
            Err(Unreadable::Broken) => Err(Unplayed::Broken),
            Ok(dialogue) => Ok(dialogue),
        }
    }

    /// Whether this is `/start` or `/menu` alone. With an argument, such as an invitation, it waits for what it asks about: answered
    /// without, the argument would be lost.
    fn begins_anew(&self) -> bool {
        let Input::Command(Command { name, arg }) = &self.incoming.input else {
            return false;
        };
        arg.is_empty() && matches!(name.as_str(), "start" | "menu")
    }

    /// The scene to be played: what happened, where the dialogue is.
    fn scene(&self, how: How) -> Result<Scene, Unplayed> {
        let Incoming {
            key,
            person,
            input,
            reply_to,
            sent,
            cause,
            stamp,
            ..
        } = &self.incoming;
        let view = View {
            key: *key,
            person: person.clone(),
            now: self.snapshot.now,
            reads: Reads::default(),
        };
        let turn = Turn {
            view,
            input: input.clone(),
            reply_to: *reply_to,
            sent: *sent,
            last_album: None,
            stamp: format!("{}.{stamp}", cause.number()),
        };
        Ok(Scene {
            dialogue: self.dialogue(how)?,
            turn,
            how,
        })
    }

    fn commit(&self, played: &Played, dead: Option<Bytes>) -> Commit {
        let (messages, jobs) = self.effects(&played.effects);
        let settled = self.incoming.settles.as_ref();
        Commit {
            turn: self.turn,
            cause: self.incoming.cause,
            expected: self.snapshot.version,
            loaded_at: self.snapshot.now,
            next: self.next(&played.dialogue),
            messages,
            jobs,
            dead: dead.or_else(|| settled?.letter.clone()),
            settles: settled.map(|settled| settled.jobs.clone()),
        }
    }

    /// What the record becomes. Where a dialogue moved away from nothing is kept but the way.
    fn next(&self, dialogue: &Dialogue) -> Next {
        match self.seal() {
            Some(seal) => seal.next(self.snapshot.due),
            None => Next {
                labels: dialogue.labels(),
                body: dialogue.write().into(),
                due: dialogue.due(),
                idle: Dialogue::idle(),
            },
        }
    }

    /// Messages for home go straight to its lane. Where a record is written, or one is still pending, all effects stand in
    /// line behind it, so that nothing is said before it is true and nothing overtakes. What is said about a refused record takes
    /// the place of what it was to bring: before all that still stands in line.
    fn effects(&self, effects: &[Effect]) -> (Vec<Item>, Vec<Item>) {
        let home = self.incoming.key.chat;
        let in_line = self.snapshot.pending > 0 && self.incoming.settles.is_none()
            || effects
                .iter()
                .any(|effect| matches!(effect, Effect::Record(record) if !record.aside));
        let items = effects
            .iter()
            .enumerate()
            .map(|(index, effect)| (effect, self.item(index, effects.len() - 1, effect)));
        let (messages, jobs): (Vec<_>, Vec<_>) =
            items.partition(|(effect, _)| !in_line && effect.chat() == Some(home));
        let only_items =
            |pairs: Vec<(&Effect, Item)>| pairs.into_iter().map(|(_, item)| item).collect();
        (only_items(messages), only_items(jobs))
    }

    /// Notes who is talking, behind everything else: when nothing is known of them here, and whenever they begin anew.
    fn meeting(&self, index: usize) -> Option<Item> {
        let Incoming {
            cause,
            key,
            person,
            input,
            ..
        } = &self.incoming;
        let begins = matches!(input, Input::Command(command) if command.name == "start");
        let is_new = self.snapshot.body.is_none();
        cause.update().filter(|_| begins || is_new)?;
        let record = Record {
            flow: String::new(),
            user: key.user,
            topic: key.topic,
            command: json!(Meet::new(&person.name, &person.username, &person.language)),
            last: index,
            aside: true,
        };
        Some(self.item(index, index, &Effect::Record(record)))
    }

    /// Writes an effect. A record is told where its step ends, in case the rest must be skipped.
    fn item(&self, index: usize, last: usize, effect: &Effect) -> Item {
        let Incoming { cause, stamp, .. } = &self.incoming;
        let body = match effect {
            Effect::Record(record) => serde_json::to_vec(&Effect::Record(Record {
                last,
                ..record.clone()
            })),
            other => serde_json::to_vec(other),
        };
        let body = body.expect("an effect is plain data");
        Item {
            id: format!("{}.{stamp}.{index}", cause.number()),
            body: body.into(),
        }
    }
}
