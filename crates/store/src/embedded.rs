//! A store in one SQLite file: durable on a single machine, with nothing to set up.
//!
//! One thread owns the file. It takes what has queued up, does it in one transaction and answers when that is on disk,
//! so that many callers share one fsync, and everything anybody reads is committed. See [`writer`].

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::local::{Desk, Local, Survives};
use super::{Clock, Error, Finding, Limits, Millis, Result, Shift};
use crate::lock::Lock;

mod file;
mod table;
mod writer;

use writer::{Call, Message, Writer};

/// How many calls may wait for the writer; more of them wait for a place.
const QUEUE: usize = 1024;
/// How long a call may take: behind a disk that hangs nobody waits for ever.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Keeps everything in a file, which belongs to one process at a time.
#[derive(Debug)]
pub struct Embedded {
    /// Where.
    path: PathBuf,
    /// To the thread that owns the file.
    queue: mpsc::Sender<Message>,
    /// The paces to keep to.
    limits: Limits,
}

impl Embedded {
    /// Opens the file, or makes it along with the directories above it.
    ///
    /// # Errors
    /// Another process has it open, or it cannot be written; the error names the file and what to do.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with_clock(path, Clock::system())
    }

    /// As [`Embedded::open`], with a clock of the caller's.
    ///
    /// # Errors
    /// As [`Embedded::open`].
    pub fn open_with_clock(path: &Path, clock: Clock) -> Result<Self> {
        let mut writer = Writer::new(file::open(path)?, clock);
        writer.take_over()?;
        let (queue, calls) = mpsc::channel(QUEUE);
        thread::Builder::new()
            .name("store".into())
            .spawn(move || writer.serve(calls))
            .map_err(|error| file::unavailable(path, &error))?;
        Ok(Self { path: path.to_owned(), queue, limits: Limits::default() })
    }

    /// Keeps every process from opening this file, for as long as the answer lives.
    ///
    /// # Errors
    /// As [`Embedded::open`].
    pub fn hold(path: &Path) -> Result<Lock> {
        file::hold(path)
    }

    /// The same store, keeping to these paces.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Moves the clock that `shift` belongs to, so that it is `ahead` by this much; never back. Answers the time then. It is
    /// as if replicas had been alive all the while: what is due comes at once, as after a wait, and not late, as after an
    /// outage.
    ///
    /// # Errors
    /// As any call.
    pub async fn leap(&self, shift: &Shift, ahead: Millis) -> Result<Millis> {
        let shift = shift.clone();
        self.run(Survives::Crash, move |desk| {
            let by = ahead.saturating_sub(shift.get());
            let now = desk.leap(by)?;
            shift.set(shift.get() + by);
            Ok(now)
        })
        .await
    }

    /// The answer to a call that took too long. It may still be carried out.
    fn hangs(&self) -> Error {
        let path = self.path.display();
        Error::timeout(format!("{path} took longer than {CALL_TIMEOUT:?}"))
    }

    /// The answer to a call when the thread is gone.
    fn closed(&self) -> Error {
        Error::Unavailable { kind: "closed", detail: format!("{} is closed", self.path.display()) }
    }
}

impl Local for Embedded {
    const KIND: &'static str = "embedded";

    async fn run<T, F>(&self, survives: Survives, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Desk<'_>) -> Result<T> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let limits = self.limits;
        let paced = move |desk: &mut Desk<'_>| {
            desk.obey(limits);
            work(desk)
        };
        let call = Message::Work(Box::new(Call::new(survives, paced, answer)));
        let asked = timeout(CALL_TIMEOUT, async {
            let sent = self.queue.send(call).await;
            sent.map_err(|_| self.closed())?;
            answered.await.map_err(|_| self.closed())?
        });
        asked.await.unwrap_or_else(|_| Err(self.hangs()))
    }

    fn findings(&self) -> Vec<Finding> {
        vec![Finding {
            check: "durability",
            ok: true,
            advice: format!(
                "everything is in {}, for one process on this machine",
                self.path.display()
            ),
        }]
    }

    async fn shut(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Message::Close(done)).await.is_ok() {
            // An error means that the thread is gone, which is as good.
            let _ = closed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use tempfile::TempDir;
    use tokio::time::{Instant, pause, resume};

    use super::*;
    use crate::{Item, LANE_LEASE, Lane, LaneKind, Store as _, Token};

    /// The writer asks for the time in every call: whoever holds the clock holds the disk.
    #[tokio::test]
    async fn a_disk_that_hangs_holds_nobody_up() {
        let (hangs, directory) = (Arc::new(AtomicBool::new(false)), TempDir::new());
        let (disk, directory) = (Arc::clone(&hangs), directory.expect("a directory"));
        let clock = Clock::new(move || {
            while disk.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            1_800_000_000_000
        });
        let path = directory.path().join("store.db");
        let store = Embedded::open_with_clock(&path, clock).expect("opened");
        store.ping().await.expect("it answers");

        hangs.store(true, Ordering::Relaxed);
        pause();
        for _ in 0..2 {
            let asked = Instant::now();
            let answer = store.active().await;
            assert!(
                matches!(answer, Err(Error::Unavailable { kind: "timeout", .. })),
                "{answer:?}"
            );
            assert!(asked.elapsed() <= CALL_TIMEOUT + Duration::from_millis(1));
        }
        resume();
        hangs.store(false, Ordering::Relaxed);
        store.active().await.expect("it answers again");
    }

    /// What it leased to nobody would be sent once more, although whoever holds it knows that it was.
    #[tokio::test]
    async fn a_sweep_that_nobody_waits_for_any_more_takes_no_lane() {
        let (hangs, time) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(1)));
        let (disk, shown) = (Arc::clone(&hangs), Arc::clone(&time));
        let clock = Clock::new(move || {
            while disk.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            1_800_000_000_000 + shown.load(Ordering::Relaxed)
        });
        let directory = TempDir::new().expect("a directory");
        let store = Embedded::open_with_clock(&directory.path().join("store.db"), clock);
        let store = store.expect("opened");
        let (token, lane) = (Token::fresh(), Lane { kind: LaneKind::Messages, chat: 7 });
        let item = Item { id: "a".to_owned(), body: "{}".into() };
        store.push(lane, token, &item).await.expect("pushed");

        hangs.store(true, Ordering::Relaxed);
        pause();
        let swept = store.due(Token::fresh(), 10, None).await;
        assert!(swept.is_err(), "{swept:?}");
        resume();
        let lapsed = LANE_LEASE + Duration::from_secs(1);
        time.store(lapsed.as_millis() as u64, Ordering::Relaxed);
        hangs.store(false, Ordering::Relaxed);
        let lost = store.renew(&[(lane, token)]).await;
        assert_eq!(lost, Ok(vec![]), "it is still its holder's");
    }

    /// The thread has the file open, so that it could go on writing to what nobody will ever read.
    #[tokio::test]
    async fn a_file_that_was_deleted_or_replaced_takes_nothing_any_more() {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("store.db");
        let store = Embedded::open(&path).expect("opened");
        store.ping().await.expect("it is there");

        let aside = directory.path().join("aside.db");
        std::fs::rename(&path, &aside).expect("moved");
        for replaced in [false, true] {
            if replaced {
                std::fs::copy(&aside, &path).expect("copied");
            }
            let pinged = store.ping().await.expect_err("it is gone");
            assert!(pinged.to_string().contains("deleted"), "{pinged}");
            let kept = store.keep("name", None, b"value").await;
            assert!(kept.is_err(), "{kept:?}");
        }
        std::fs::rename(&aside, &path).expect("moved back");
        store.ping().await.expect("it is there again");
    }
}
