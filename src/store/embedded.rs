//! A store in one SQLite file: durable on a single machine, with nothing to set up.
//!
//! One thread owns the file. It takes what has queued up, does it in one transaction and answers when that is on disk,
//! so that many callers share one fsync, and everything anybody reads is committed. See [`writer`].

use std::path::{Path, PathBuf};
use std::thread;

use tokio::sync::{mpsc, oneshot};

use super::local::{Desk, Local, Survives};
use super::{Clock, Error, Finding, Limits, Result};

mod file;
mod table;
mod writer;

use writer::{Call, Message, Writer};

/// How many calls may wait for the writer; more of them wait for a place.
const QUEUE: usize = 1024;

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
        let writer = Writer::new(file::open(path)?, clock);
        let (queue, calls) = mpsc::channel(QUEUE);
        thread::Builder::new()
            .name("store".into())
            .spawn(move || writer.serve(calls))
            .map_err(|error| file::unavailable(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            queue,
            limits: Limits::default(),
        })
    }

    /// The same store, keeping to these paces.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The answer to a call when the thread is gone.
    fn closed(&self) -> Error {
        Error::Unavailable {
            kind: "closed",
            detail: format!("{} is closed", self.path.display()),
        }
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
        let call = Call::new(survives, paced, answer);
        let sent = self.queue.send(Message::Work(Box::new(call))).await;
        sent.map_err(|_| self.closed())?;
        answered.await.map_err(|_| self.closed())?
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
