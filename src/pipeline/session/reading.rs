//! Plays scenes, with whatever they want to read.

use std::time::Duration;

use tower::{Service, ServiceExt as _};

use super::sitting::Sitting;
use super::{Error, Session};
use crate::dialogue::{Halt, How, Played, Read, Reads, Scene};
use crate::pipeline::Unplayed;
use crate::store::Loaded;
use crate::update::Incoming;

/// How often reads may ask for further reads.
const MAX_READS: u32 = 4;
/// How often, and in which steps, a turn that reads waits for the records of its home.
const PENDING_LOOKS: u32 = 10;
const PENDING_PAUSE: Duration = Duration::from_millis(100);

impl<S> Session<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    /// Plays the scene, reading whatever it asks for.
    pub(super) async fn play(
        &self,
        sitting: &Sitting,
        how: How,
    ) -> Result<Result<Played, Unplayed>, Error> {
        let mut reads = Reads::default();
        let mut played = self.play_with(sitting, how, &reads).await;
        for _ in 0..MAX_READS {
            let Err(Unplayed::Halt(Halt::Needs(needed))) = played else {
                break;
            };
            played = match self.read(sitting, needed, &mut reads).await {
                Ok(()) => self.play_with(sitting, how, &reads).await,
                Err(error @ Error::Records(_)) => {
                    let how = How::WithoutReads;
                    match self.play_with(sitting, how, &reads).await {
                        Err(Unplayed::Halt(Halt::Needs(_))) => return Err(error),
                        played => played,
                    }
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
}
