//! Plays scenes, with whatever they want to read.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tower::{Service, ServiceExt as _};

use super::sitting::Sitting;
use super::{StateService, TurnError};
use crate::dialogue::{Halt, How, Played, Read, Reads, Scene};
use crate::records::Unread;
use crate::store::LaneKind;
use crate::turn::Event;
use crate::turn::Unplayed;

/// How often reads may ask for further reads.
const MAX_READS: u32 = 4;
/// Reads that take longer than this wait for a database.
const SLOW: Duration = Duration::from_millis(100);
/// How often, and in which steps, a turn that reads waits for the records of its home.
const PENDING_LOOKS: u32 = 10;
const PENDING_PAUSE: Duration = Duration::from_millis(100);

impl<S> StateService<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    /// Plays the scene, reading whatever it asks for.
    pub(super) async fn play(
        &self,
        sitting: &Sitting,
        how: How,
    ) -> Result<Result<Played, Unplayed>, TurnError> {
        let mut reads = Reads::default();
        let mut played = self.play_with(sitting, how, &reads).await;
        for _ in 0..MAX_READS {
            let Err(Unplayed::Halt(Halt::Needs(needed))) = played else {
                break;
            };
            played = match self.read(sitting, needed, &mut reads).await? {
                Ok(()) => self.play_with(sitting, how, &reads).await,
                Err(unread) => return self.play_without(sitting, &reads, unread).await,
            };
        }
        Ok(played)
    }

    /// Fetches what a step wants to read. Whoever is killed while a database keeps them waiting was not killed by the update: its try
    /// is taken back meanwhile.
    async fn read(
        &self,
        sitting: &Sitting,
        needed: Vec<Read>,
        reads: &mut Reads,
    ) -> Result<Result<(), Unread>, TurnError> {
        let mut fetched = pin!(self.fetch(sitting, needed, reads));
        if let Ok(fetched) = timeout(SLOW, &mut fetched).await {
            return fetched;
        }
        let Event { key, cause, .. } = sitting.incoming;
        let blame = |guilty| self.desk.store.blame(&key, cause, sitting.turn, guilty);
        let is_noted = sitting.snapshot.tries > 0 && blame(false).await.is_ok();
        let fetched = fetched.await?;
        if is_noted {
            blame(true).await?;
        }
        Ok(fetched)
    }

    async fn fetch(
        &self,
        sitting: &Sitting,
        needed: Vec<Read>,
        reads: &mut Reads,
    ) -> Result<Result<(), Unread>, TurnError> {
        if !self.await_records(sitting).await? {
            let said = "those of this chat are still being written".to_owned();
            return Ok(Err(Unread::Unavailable(said)));
        }
        for read in needed {
            match self.desk.records.fetch(&sitting.incoming.key, &read).await {
                Ok(value) => reads.insert(read, value),
                Err(unread) => return Ok(Err(unread)),
            }
        }
        Ok(Ok(()))
    }

    /// Plays as far as it goes without what cannot be read. Where it does not go on so, it comes again as long as that may help.
    async fn play_without(
        &self,
        sitting: &Sitting,
        reads: &Reads,
        unread: Unread,
    ) -> Result<Result<Played, Unplayed>, TurnError> {
        let played = self.play_with(sitting, How::WithoutReads, reads).await;
        match (played, unread) {
            (Err(Unplayed::Halt(Halt::Needs(_))), Unread::Unavailable(reason)) => {
                Err(TurnError::Records(reason))
            }
            (Err(Unplayed::Halt(Halt::Needs(_))), Unread::Broken(reason)) => {
                Ok(Err(Unplayed::Unread(reason)))
            }
            (played, _) => Ok(played),
        }
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
    /// at the head of their lane: all before them is written, and what still stands there waits for this very turn. `false`: it takes
    /// too long.
    async fn await_records(&self, sitting: &Sitting) -> Result<bool, TurnError> {
        let mut is_pending = sitting.snapshot.pending > 0 && sitting.incoming.settles.is_none();
        for _ in 0..PENDING_LOOKS {
            if !is_pending {
                break;
            }
            sleep(PENDING_PAUSE).await;
            let waiting = self.desk.store.waiting(sitting.incoming.key.chat, 1).await?;
            is_pending = waiting.iter().any(|(kind, _)| *kind == LaneKind::Jobs);
        }
        Ok(!is_pending)
    }
}
