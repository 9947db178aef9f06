//! Where the lines of the log go: gathered for a moment, and written together.
//!
//! A line by itself costs a system call, and there are two or more for an update. So ordinary lines wait for those of the next
//! few milliseconds; a warning or an error goes out at once, with all that waits before it. A killed process may thus take the
//! last ordinary lines with it, never the reason why something went wrong.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long an ordinary line waits for others.
const GATHER: Duration = Duration::from_millis(10);
/// With more than this, whoever logs writes: memory is bounded, however slow the reader is.
const MOST: usize = 256 * 1024;

/// Gathers lines for a stream. A clone is the same.
#[derive(Debug)]
pub struct Sink<W = io::Stderr> {
    shared: Arc<Shared<W>>,
    /// Who writes what was gathered.
    writer: Thread,
}

#[derive(Debug)]
struct Shared<W> {
    lines: Mutex<Vec<u8>>,
    /// Held while writing, so that lines stay in order.
    out: Mutex<W>,
}

impl<W: Write + Send + 'static> Sink<W> {
    /// Gathers for this stream, and starts the thread that writes.
    pub fn new(out: W) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            lines: Mutex::default(),
            out: Mutex::new(out),
        });
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new().name("log".into());
        let writer = thread.spawn(move || own.write_on())?.thread().clone();
        Ok(Self { shared, writer })
    }

    /// Takes whole lines of this level.
    pub fn take(&self, lines: &[u8], level: Level) {
        let gathered = {
            let mut gathered = lock(&self.shared.lines);
            gathered.extend_from_slice(lines);
            gathered.len()
        };
        if level <= Level::WARN || gathered > MOST {
            self.flush();
        } else if gathered == lines.len() {
            self.writer.unpark();
        }
    }

    /// Writes what was gathered.
    pub fn flush(&self) {
        self.shared.flush();
    }
}

impl<W> Clone for Sink<W> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            writer: self.writer.clone(),
        }
    }
}

impl<W: Write> Shared<W> {
    /// Writes for ever, as often as there is something.
    fn write_on(&self) {
        loop {
            thread::park();
            thread::sleep(GATHER);
            self.flush();
        }
    }

    fn flush(&self) {
        let mut out = lock(&self.out);
        let lines = std::mem::take(&mut *lock(&self.lines));
        // There is nobody to tell that nobody can be told.
        let _ = out.write_all(&lines).and_then(|()| out.flush());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, W: Write + Send + 'static> MakeWriter<'a> for Sink<W> {
    type Writer = Leveled<'a, W>;

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
pub struct Leveled<'a, W>(&'a Sink<W>, Level);

impl<W: Write + Send + 'static> Write for Leveled<'_, W> {
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
    fn what_piles_up_is_written_by_who_logs() {
        let (sender, told) = mpsc::channel();
        let sink = Sink::new(Told(sender)).unwrap();
        sink.take(&vec![b'x'; MOST + 1], Level::INFO);
        assert_eq!(told.try_iter().flatten().count(), MOST + 1);
    }
}
