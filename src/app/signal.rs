//! The signals that end the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::runtime;
use tokio::signal::unix::{self, SignalKind};

/// A signal that ends the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// What service managers send.
    Terminate,
}

/// The signals as they come.
#[derive(Debug)]
pub struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
}

impl Signal {
    /// The exit code of a process that this signal ended at once.
    pub fn code(self) -> i32 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        }
    }
}

impl Signals {
    /// From now on these signals are ours.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: unix::signal(SignalKind::interrupt())?,
            terminate: unix::signal(SignalKind::terminate())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}

/// Ends the process at once by a signal that comes while it is stopping, whatever everything else hangs in: in a thread of its own.
#[derive(Debug, Clone)]
pub struct LastResort {
    is_stopping: Arc<AtomicBool>,
}

impl LastResort {
    /// From now on the second signal ends the process, by way of `end`.
    pub fn new(end: impl Fn(Signal) + Send + 'static) -> io::Result<Self> {
        let is_stopping = Arc::<AtomicBool>::default();
        let stopping = Arc::clone(&is_stopping);
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let mut signals = {
            let _inside = runtime.enter();
            Signals::new()?
        };
        let thread = thread::Builder::new().name("signals".into());
        thread.spawn(move || {
            loop {
                let signal = runtime.block_on(signals.next());
                if stopping.swap(true, Ordering::Relaxed) {
                    end(signal);
                }
            }
        })?;
        Ok(Self { is_stopping })
    }

    /// The process is stopping without having got a signal: the next one is the last.
    pub fn without_signal(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}
