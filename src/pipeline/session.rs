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

use super::player::Unplayed;
use super::sources::Sources;
use super::{Error, Moved, Outcome};
use crate::dialogue::{
    Dialogue, Effect, Halt, How, Input, Played, Reads, Scene, Turn, Unreadable, View,
};
use crate::outbox::Outbox;
use crate::replica::Peers;
use crate::store::{
    self, Cause, Commit, Committed, Item, Loaded, Next, Receipt, Snapshot, Store, Token,
};
use crate::update::Incoming;

/// How often a step is run again because someone else was first.
const MAX_ATTEMPTS: u32 = 8;
/// How often a turn may fail before it is put aside.
pub const MAX_TRIES: u32 = 3;
/// How often reads may ask for further reads.
const MAX_READS: u32 = 4;
/// A turn older than this is not committed: Telegram may have given up on it and sent it elsewhere.
const MAX_AGE: Duration = Duration::from_secs(10);
/// How much of an update is kept in a dead letter.
const MAX_LETTER_BYTES: usize = 64 * 1024;

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
            counters: Counters::new(),
        }
    }
}

/// The service of [`SessionLayer`].
#[derive(Debug, Clone)]
pub struct Session<S> {
    inner: S,
    desk: Arc<Desk>,
    counters: Counters,
}

#[derive(Debug, Clone)]
struct Counters {
    conflicts: Counter,
    retries: Counter,
    crowded: Counter,
    dead: Counter,
}

impl Counters {
    fn new() -> Self {
        Self {
            conflicts: counter!("steadfast_commit_conflicts_total"),
            retries: counter!("steadfast_commit_retries_total"),
            crowded: counter!("steadfast_seen_crowded_out_total"),
            dead: counter!("steadfast_updates_dead_lettered_total", "reason" => "failed"),
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
        let turn = Token::fresh();
        let snapshot = match self
            .desk
            .store
            .load(&incoming.key, incoming.cause, turn)
            .await?
        {
            Loaded::Fresh(snapshot) => snapshot,
            Loaded::Duplicate => return Ok(Moved::nothing(Outcome::Duplicate, String::new())),
        };
        let mut sitting = Sitting {
            incoming,
            turn,
            snapshot,
            attempts: 0,
        };
        let moved = self.turns(&mut sitting).await;
        if let Err(error) = &moved
            && !matches!(error, Error::Failed { .. })
        {
            self.forgive(&sitting);
        }
        moved
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
            let commit = sitting.commit(&played, dead);
            match self.commit(sitting, &commit).await? {
                Committed::Done(receipt) => return Ok(self.done(sitting, commit, &receipt, played)),
                Committed::Duplicate => {
                    return Ok(Moved::nothing(Outcome::Duplicate, played.toast));
                }
                Committed::TooOld => return Err(Error::TooOld),
                Committed::Conflict(snapshot) => self.conflict(sitting, snapshot).await,
            }
        }
        Err(Error::Contended(sitting.attempts))
    }

    async fn conflict(&self, sitting: &mut Sitting, snapshot: Snapshot) {
        self.counters.conflicts.increment(1);
        sitting.snapshot = snapshot;
        let most = 1 << sitting.attempts.min(5);
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..most))).await;
    }

    /// Makes the step, or what takes its place when it cannot be made.
    async fn step(&self, sitting: &mut Sitting) -> Result<Ready, Error> {
        if let Cause::Timer(due) = sitting.incoming.cause
            && sitting
                .snapshot
                .due
                .is_none_or(|now_due| now_due > due.max(sitting.snapshot.now))
        {
            return Ok(Ready::Nothing(String::new()));
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
            Ok(played) if played.changed => Ok(Ready::Step(played)),
            Ok(played) => Ok(Ready::Nothing(played.toast)),
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
            for read in needed {
                let value = self
                    .desk
                    .sources
                    .fetch(&sitting.incoming.key, &read)
                    .await
                    .map_err(Error::Records)?;
                reads.insert(read, value);
            }
            played = self.play_with(sitting, how, &reads).await;
        }
        Ok(played)
    }

    /// Plays the scene with what was read. It is made anew for each play: most are played once, and need no copy.
    async fn play_with(
        &self,
        sitting: &Sitting,
        how: How,
        reads: &Reads,
    ) -> Result<Played, Unplayed> {
        let mut scene = sitting.scene(how).map_err(Unplayed::Halt)?;
        scene.turn.view.reads.clone_from(reads);
        self.inner.clone().oneshot(scene).await
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
            _ => Ok(Ready::Nothing(String::new())),
        }
    }

    /// Counts a failure. The turn comes again, or is given up.
    async fn failed(&self, sitting: &mut Sitting, reason: &str) -> Result<Ready, Error> {
        let Sitting { incoming, turn, .. } = sitting;
        let mut tries = sitting.snapshot.tries;
        if tries == 0 {
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
        if let Loaded::Fresh(snapshot) = self
            .desk
            .store
            .load(&incoming.key, incoming.cause, *turn)
            .await?
        {
            sitting.snapshot = snapshot;
        }
        self.give_up(sitting, reason).await
    }

    async fn give_up(&self, sitting: &Sitting, reason: &str) -> Result<Ready, Error> {
        let mut played = self.play(sitting, How::GiveUp).await?;
        if played.is_err() {
            played = self.play(sitting, How::Clear).await?;
        }
        let played = played.map_err(|_| Error::Failed {
            tries: sitting.snapshot.tries,
            reason: reason.to_owned(),
        })?;
        Ok(Ready::Final(played, sitting.letter(reason)))
    }

    /// Commits; once more if it is not known whether it was done, which the turn's token makes safe.
    async fn commit(&self, sitting: &mut Sitting, commit: &Commit) -> Result<Committed, Error> {
        let key = sitting.incoming.key;
        match self.desk.store.commit(&key, commit).await {
            Ok(committed) => Ok(committed),
            Err(store::Error::Unavailable { .. }) => {
                self.counters.retries.increment(1);
                Ok(self.desk.store.commit(&key, commit).await?)
            }
            Err(store::Error::TooLarge { bytes }) => {
                let reason = store::Error::TooLarge { bytes }.to_string();
                self.too_large(sitting, &reason).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A state over the ceiling is the step's own error.
    async fn too_large(&self, sitting: &mut Sitting, reason: &str) -> Result<Committed, Error> {
        let Ready::Final(played, letter) = self.failed(sitting, reason).await? else {
            return Err(Error::Failed {
                tries: sitting.snapshot.tries,
                reason: reason.to_owned(),
            });
        };
        let commit = sitting.commit(&played, Some(letter));
        Ok(self
            .desk
            .store
            .commit(&sitting.incoming.key, &commit)
            .await?)
    }

    fn done(&self, sitting: &Sitting, commit: Commit, receipt: &Receipt, played: Played) -> Moved {
        self.counters
            .crowded
            .increment(u64::from(receipt.crowded_out));
        let outcome = if commit.dead.is_some() {
            Outcome::DeadLetter
        } else {
            Outcome::Applied
        };
        if outcome == Outcome::DeadLetter {
            self.counters.dead.increment(1);
        }
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

    /// Takes back the try that the load noted: what happened was not the turn's own fault. Best effort, in the background, since
    /// the store may be what is missing.
    fn forgive(&self, sitting: &Sitting) {
        if sitting.snapshot.tries == 0 {
            return;
        }
        let (store, key, cause, turn) = (
            Arc::clone(&self.desk.store),
            sitting.incoming.key,
            sitting.incoming.cause,
            sitting.turn,
        );
        tokio::spawn(async move {
            for _ in 0..5 {
                if store.blame(&key, cause, turn, false).await.is_ok() {
                    return;
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
    }
}

impl Sitting {
    /// The scene to be played: what happened, where the dialogue is.
    fn scene(&self, how: How) -> Result<Scene, Halt> {
        let Incoming {
            key,
            person,
            input,
            sent,
            cause,
            stamp,
            ..
        } = &self.incoming;
        let begins = matches!(input, Input::Command(command) if matches!(command.name.as_str(), "start" | "cancel"));
        let dialogue = match Dialogue::read(self.snapshot.body.as_deref()) {
            Ok(dialogue) => dialogue,
            Err(Unreadable::Newer) if !begins => {
                return Err(Halt::Newer {
                    flow: "the record".to_owned(),
                    schema: u32::MAX,
                });
            }
            Err(_) => Dialogue::default(),
        };
        let view = View {
            key: *key,
            person: person.clone(),
            now: self.snapshot.now,
            reads: Reads::default(),
        };
        let turn = Turn {
            view,
            input: input.clone(),
            sent: *sent,
            last_album: None,
            stamp: format!("{}.{stamp}", cause.number()),
        };
        Ok(Scene {
            dialogue,
            turn,
            how,
        })
    }

    fn commit(&self, played: &Played, dead: Option<Bytes>) -> Commit {
        let (messages, jobs) = self.effects(&played.effects);
        Commit {
            turn: self.turn,
            cause: self.incoming.cause,
            expected: self.snapshot.version,
            loaded_at: self.snapshot.now,
            next: Next {
                labels: played.dialogue.labels(),
                body: played.dialogue.write().into(),
                due: played.dialogue.due(),
                idle: Dialogue::idle(),
            },
            messages,
            jobs,
            dead,
        }
    }

    /// Messages for home go straight to its lane. Where a record is written, or one is still pending, all effects stand in
    /// line behind it, so that nothing is said before it is true and nothing overtakes.
    fn effects(&self, effects: &[Effect]) -> (Vec<Item>, Vec<Item>) {
        let home = self.incoming.key.chat;
        let in_line = self.snapshot.pending > 0
            || effects
                .iter()
                .any(|effect| matches!(effect, Effect::Record { .. }));
        let items = effects
            .iter()
            .enumerate()
            .map(|(index, effect)| (effect, self.item(index, effect)));
        let (messages, jobs): (Vec<_>, Vec<_>) = items.partition(|(effect, _)| {
            !in_line && matches!(effect, Effect::Send(message) if message.chat == home)
        });
        let only_items =
            |pairs: Vec<(&Effect, Item)>| pairs.into_iter().map(|(_, item)| item).collect();
        (only_items(messages), only_items(jobs))
    }

    fn item(&self, index: usize, effect: &Effect) -> Item {
        let Incoming { cause, stamp, .. } = &self.incoming;
        let body = serde_json::to_vec(effect).expect("an effect is plain data");
        Item {
            id: format!("{}.{stamp}.{index}", cause.number()),
            body: body.into(),
        }
    }

    /// A dead letter: what came, why it failed, how often it was tried.
    fn letter(&self, reason: &str) -> Bytes {
        let Incoming {
            raw,
            key,
            cause,
            kind,
            ..
        } = &self.incoming;
        let body = String::from_utf8_lossy(&raw[..raw.len().min(MAX_LETTER_BYTES)]).into_owned();
        let letter = json!({
            "at": self.snapshot.now, "dialogue": key.to_string(), "kind": kind, "cause": cause.number(),
            "reason": reason, "tries": self.snapshot.tries, "body": body,
        });
        letter.to_string().into()
    }
}
