//! Where the lines of the log go: gathered for a moment, and written together.
//!
//! A line by itself costs a system call, and there are two or more for an update. So ordinary lines wait for those of the next
//! few milliseconds; a warning or an error goes out at once, with all that waits before it, and is waited for. A killed process may
//! thus take the last ordinary lines with it, never the reason why something went wrong.
//!
//! One thread writes. Whoever reads the log may stop doing so, and that holds up nobody for longer than a moment: what finds no room
//! any more is dropped, and counted.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use metrics::counter;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long an ordinary line waits for others.
const GATHER: Duration = Duration::from_millis(10);
/// As many bytes wait at most: memory is bounded, however slow the reader is.
const MOST: usize = 256 * 1024;
/// How long whoever logs waits for the reader, once: as long as nothing is read then, nobody else does.
const PATIENCE: Duration = Duration::from_secs(1);

/// Gathers lines for a stream. A clone is the same.
#[derive(Debug, Clone)]
pub struct Sink(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    gathered: Mutex<Gathered>,
    /// There is something to write.
    wanted: Condvar,
    /// Something was written.
    written: Condvar,
}

#[derive(Debug, Default)]
struct Gathered {
    lines: Vec<u8>,
    /// They go out at once.
    is_urgent: bool,
    /// How many bytes were ever taken, and how many of them are written.
    taken: u64,
    written: u64,
    /// Somebody has waited in vain, and nothing was written since.
    is_stuck: bool,
}

impl Sink {
    /// Gathers for this stream, and starts the thread that writes.
    pub fn new(out: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new().name("log".into());
        thread.spawn(move || own.write_to(out))?;
        Ok(Self(shared))
    }

    /// Takes whole lines of this level.
    pub fn take(&self, lines: &[u8], level: Level) {
        let shared = &self.0;
        let mut gathered = shared.wait(shared.lock(), |gathered| gathered.has_room_for(lines));
        if !gathered.has_room_for(lines) {
            return counter!("steadfast_log_lines_dropped_total").increment(1);
        }
        let was_empty = gathered.lines.is_empty();
        gathered.lines.extend_from_slice(lines);
        gathered.taken += lines.len() as u64;
        if level <= Level::WARN {
            shared.write_out(gathered);
        } else if was_empty {
            shared.wanted.notify_one();
        }
    }

    /// Sees to it that what was gathered is written, as far as it is read. Whoever asks for that waits again.
    pub fn flush(&self) {
        let mut gathered = self.0.lock();
        gathered.is_stuck = false;
        self.0.write_out(gathered);
    }
}

impl Gathered {
    /// One that is alone has room, however long it is.
    fn has_room_for(&self, lines: &[u8]) -> bool {
        self.lines.is_empty() || self.lines.len() + lines.len() <= MOST
    }
}

impl Shared {
    /// Writes for ever, as often as there is something.
    fn write_to(&self, mut out: impl Write) {
        loop {
            let lines = self.next();
            // There is nobody to tell that nobody can be told.
            let _ = out.write_all(&lines).and_then(|()| out.flush());
            let mut gathered = self.lock();
            gathered.written += lines.len() as u64;
            gathered.is_stuck = false;
            self.written.notify_all();
        }
    }

    /// What is to be written next: what came within a moment, or until it became urgent.
    fn next(&self) -> Vec<u8> {
        let is_empty = |gathered: &mut Gathered| gathered.lines.is_empty();
        let gathered = self.wanted.wait_while(self.lock(), is_empty);
        let gathered = gathered.unwrap_or_else(PoisonError::into_inner);
        let is_ordinary = |gathered: &mut Gathered| !gathered.is_urgent;
        let waited = self.wanted.wait_timeout_while(gathered, GATHER, is_ordinary);
        let (mut gathered, _) = waited.unwrap_or_else(PoisonError::into_inner);
        gathered.is_urgent = false;
        std::mem::take(&mut gathered.lines)
    }

    /// Has all that was taken written at once, and waits for that.
    fn write_out(&self, mut gathered: MutexGuard<'_, Gathered>) {
        let taken = gathered.taken;
        gathered.is_urgent = true;
        self.wanted.notify_one();
        drop(self.wait(gathered, |gathered| gathered.written >= taken));
    }

    /// Waits until it is so, unless that takes too long.
    fn wait<'a>(
        &'a self,
        gathered: MutexGuard<'a, Gathered>,
        is_so: impl Fn(&Gathered) -> bool,
    ) -> MutexGuard<'a, Gathered> {
        if is_so(&gathered) || gathered.is_stuck {
            return gathered;
        }
        let is_not = |gathered: &mut Gathered| !is_so(gathered);
        let waited = self.written.wait_timeout_while(gathered, PATIENCE, is_not);
        let (mut gathered, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        gathered.is_stuck = waited.timed_out();
        gathered
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> MakeWriter<'a> for Sink {
    type Writer = Leveled<'a>;

    /// Without a level nothing is known of the lines, so they go out at once.
    fn make_writer(&'a self) -> Self::Writer {
        Leveled(self, Level::ERROR)
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Self::Writer {
        Leveled(self, *event.level())
    }
}

/// Takes the lines of one event.
#[derive(Debug)]
pub struct Leveled<'a>(&'a Sink, Level);

impl Write for Leveled<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.take(line, self.1);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Tells what is written, piece by piece.
    struct Told(mpsc::Sender<Vec<u8>>);

    impl Write for Told {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn ordinary_lines_are_written_soon_without_being_asked_for() {
        let (sender, told) = mpsc::channel();
        let sink = Sink::new(Told(sender)).unwrap();
        for round in ["one\n", "two\n"] {
            sink.take(round.as_bytes(), Level::INFO);
            let piece = told.recv_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(piece, round.as_bytes());
        }
    }

    #[test]
    fn a_warning_is_written_before_take_returns_and_behind_what_waited() {
        let (sender, told) = mpsc::channel();
        let sink = Sink::new(Told(sender)).unwrap();
        sink.take(b"ordinary\n", Level::INFO);
        sink.take(b"warning\n", Level::WARN);
        let written: Vec<u8> = told.try_iter().flatten().collect();
        assert_eq!(written, b"ordinary\nwarning\n");
    }

    #[test]
    fn what_piles_up_is_waited_for() {
        let (sender, told) = mpsc::channel();
        let sink = Sink::new(Told(sender)).unwrap();
        for _ in 0..100 {
            sink.take(&[b'x'; MOST / 10], Level::INFO);
        }
        sink.flush();
        assert_eq!(told.try_iter().flatten().count(), MOST / 10 * 100);
    }

    /// Reads nothing until it is told to.
    struct Stuck(mpsc::Receiver<()>, Told);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(io::Error::other)?;
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_who_reads_nothing_holds_up_nobody_and_gets_the_rest_later() {
        let (sender, told) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel();
        let sink = Sink::new(Stuck(goes_on, Told(sender))).unwrap();
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            // Were each of them waited for, this would take some minutes.
            for _ in 0..5000 {
                sink.take(
                    b"something is wrong, and there is much to say of it, though nobody hears it\n",
                    Level::WARN,
                );
            }
        });
        let counted = recorder.handle().render();
        assert!(counted.contains("steadfast_log_lines_dropped_total"), "{counted}");
        assert_eq!(told.try_iter().count(), 0);
        go_on.send(()).unwrap();
        let first = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(first.starts_with(b"something"));
        go_on.send(()).unwrap();
        let rest = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(rest.len() > MOST / 2, "{}", rest.len());
    }
}
