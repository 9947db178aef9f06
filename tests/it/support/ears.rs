//! Hears what is logged in this process, on the thread of a test, and looks through it at the end for what no log may hold.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tracing::Dispatch;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

use super::bot_api::TOKEN;
use super::whispers;

/// Listens for as long as it lives.
pub(crate) struct Ears {
    log: Log,
    _guard: DefaultGuard,
}

#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Ears {
    /// Begins to listen to all that this crate logs, at every level.
    pub(crate) fn prick() -> Self {
        let log = Log::default();
        let writer = log.clone();
        let lines = tracing_subscriber::fmt::layer().json().with_writer(move || writer.clone());
        let ours = Targets::new().with_target("steadfast", LevelFilter::TRACE);
        let subscriber = tracing_subscriber::registry().with(ours).with(lines);
        keep_others();
        let _guard = tracing::subscriber::set_default(subscriber);
        Self { log, _guard }
    }

    /// The lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let log = self.log.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&log).into_owned();
        text.lines().map(str::to_owned).collect()
    }
}

/// Where there is but one who listens, what is first met on another thread is taken for heard by nobody, ever: so there are others.
fn keep_others() {
    static OTHERS: OnceLock<[Dispatch; 2]> = OnceLock::new();
    OTHERS.get_or_init(|| [(); 2].map(|()| Dispatch::new(NoSubscriber::default())));
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Ears {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let log = self.lines();
        let (_, key) = TOKEN.split_once(':').expect("a token");
        let told = log.iter().find(|line| line.contains(key));
        assert_eq!(told, None, "the token is in the log");
        assert_eq!(whispers::overheard(&log), None, "what somebody said is in the log");
    }
}
