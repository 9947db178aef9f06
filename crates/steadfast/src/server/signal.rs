//! The signals that end the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::runtime;
use tokio::signal::unix::{self, SignalKind};
use tokio::sync::mpsc::{self, UnboundedReceiver};

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

/// The signal that asks a process to stop. Another one after it ends the process at once, whatever everything else hangs in: a thread
/// of its own hears them.
#[derive(Debug)]
pub struct StopSignal {
    first: UnboundedReceiver<Signal>,
    is_stopping: Arc<AtomicBool>,
}

impl StopSignal {
    /// From now on the first signal is told, and the second ends the process by way of `end`.
    pub fn new(end: impl Fn(Signal) + Send + 'static) -> io::Result<Self> {
        let is_stopping = Arc::<AtomicBool>::default();
        let (tell, first) = mpsc::unbounded_channel();
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let mut signals = {
            let _inside = runtime.enter();
            Signals::new()?
        };
        let stopping = Arc::clone(&is_stopping);
        let thread = thread::Builder::new().name("signals".into());
        thread.spawn(move || {
            loop {
                let signal = runtime.block_on(signals.next());
                match stopping.swap(true, Ordering::Relaxed) {
                    true => end(signal),
                    // Nobody may be there to hear it, as good as at the end.
                    false => drop(tell.send(signal)),
                }
            }
        })?;
        Ok(Self { first, is_stopping })
    }

    /// The first signal, once it is there.
    pub async fn asked(&mut self) -> Signal {
        match self.first.recv().await {
            Some(signal) => signal,
            None => std::future::pending().await,
        }
    }

    /// The process stops without having been asked to: the next signal is the last.
    pub fn unasked(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}
