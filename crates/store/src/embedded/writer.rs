//! The thread that owns the file, and its group commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::{mpsc, oneshot};

use super::file::{Opened, sqlite};
use super::table::Table;
use crate::local::{Desk, Survives};
use crate::{Clock, Error, Result};

/// How many calls share a transaction at most.
const GROUP_MAX: usize = 256;

/// What the thread is asked to do.
pub(super) enum Message {
    /// Carry out a call.
    Work(Box<dyn Job>),
    /// Let go of the file, and say when.
    Close(oneshot::Sender<()>),
}

/// A call, whatever it answers.
pub(super) trait Job: Send {
    /// What its outcome must survive.
    fn survives(&self) -> Survives;
    /// Does the work. An error asks to have it undone.
    fn work(&mut self, desk: &mut Desk<'_>) -> Result<()>;
    /// Answers, once it is known what became of the group.
    fn answer(self: Box<Self>, group: &Result<()>);
}

/// A call with its answer.
pub(super) struct Call<T, F> {
    survives: Survives,
    work: Option<F>,
    outcome: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F> Call<T, F> {
    /// A call to be answered there.
    pub(super) fn new(survives: Survives, work: F, answer: oneshot::Sender<Result<T>>) -> Self {
        Self { survives, work: Some(work), outcome: None, answer }
    }
}

impl<T, F> Job for Call<T, F>
where
    T: Send,
    F: FnOnce(&mut Desk<'_>) -> Result<T> + Send,
{
    fn survives(&self) -> Survives {
        self.survives
    }

    fn work(&mut self, desk: &mut Desk<'_>) -> Result<()> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        // A panic must not take the thread with it, and all dialogues with the thread.
        desk.set_awaited(!self.answer.is_closed());
        let outcome = catch_unwind(AssertUnwindSafe(|| work(desk)));
        let outcome = outcome.unwrap_or_else(|_| Err(Error::Corrupt("a call panicked".into())));
        let failed = outcome.as_ref().err().cloned();
        self.outcome = Some(outcome);
        failed.map_or(Ok(()), Err)
    }

    fn answer(self: Box<Self>, group: &Result<()>) {
        let group = group.as_ref().err().cloned();
        let outcome = group.map(Err).or(self.outcome);
        if let Some(outcome) = outcome {
            // The caller may have left; what was done stays done.
            let _ = self.answer.send(outcome);
        }
    }
}

/// Owns the file.
pub(super) struct Writer {
    file: Opened,
    clock: Clock,
    /// What a commit survives as the file is set now.
    survives: Option<Survives>,
}

impl Writer {
    /// The owner of this file.
    pub(super) fn new(file: Opened, clock: Clock) -> Self {
        Self { file, clock, survives: None }
    }

    /// Ends what a process before this one held: the file is ours alone, so that process is gone.
    pub(super) fn take_over(&mut self) -> Result<()> {
        self.survive(Survives::Crash)?;
        self.execute("BEGIN IMMEDIATE")?;
        let mut table = Table(&self.file.connection);
        Desk::new(&mut table, self.clock.now()).take_over()?;
        self.execute("COMMIT")
    }

    /// Works until asked to close, or until nobody is left to ask.
    pub(super) fn serve(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut waiting = Vec::with_capacity(GROUP_MAX);
        let mut closing = None;
        while closing.is_none() && messages.blocking_recv_many(&mut waiting, GROUP_MAX) > 0 {
            let mut jobs = Vec::with_capacity(waiting.len());
            for message in waiting.drain(..) {
                match message {
                    Message::Work(job) => jobs.push(job),
                    Message::Close(done) => closing = Some(done),
                }
            }
            self.serve_group(jobs);
        }
        self.close();
        if let Some(done) = closing {
            let _ = done.send(());
        }
    }

    /// Does all jobs in one transaction, then answers them.
    fn serve_group(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let group = self.work(&mut jobs);
        if group.is_err() {
            // It fails where SQLite has rolled back already.
            let _ = self.execute("ROLLBACK");
        }
        for job in jobs {
            job.answer(&group);
        }
    }

    fn work(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<()> {
        let lasting = jobs.iter().any(|job| job.survives() == Survives::Outage);
        if lasting {
            self.file.check_place()?;
        }
        self.survive(if lasting { Survives::Outage } else { Survives::Crash })?;
        self.execute("BEGIN IMMEDIATE")?;
        for job in jobs {
            self.work_one(job.as_mut())?;
        }
        self.execute("COMMIT")
    }

    /// Does one job, or undoes what it began without harm to the others. An error means that the group is lost.
    fn work_one(&self, job: &mut dyn Job) -> Result<()> {
        self.execute("SAVEPOINT job")?;
        let mut table = Table(&self.file.connection);
        let failed = job.work(&mut Desk::new(&mut table, self.clock.now())).err();
        match failed {
            // A full disk or a failing one may have ended the transaction, and the jobs before with it.
            Some(error) if self.file.connection.is_autocommit() => return Err(error),
            Some(_) => self.execute("ROLLBACK TO job")?,
            None => {}
        }
        self.execute("RELEASE job")
    }

    /// Sets what the next commit survives. A lone call takes a fifth of the time where it needs no fsync.
    fn survive(&mut self, survives: Survives) -> Result<()> {
        if self.survives == Some(survives) {
            return Ok(());
        }
        let level = match survives {
            Survives::Crash => "normal",
            Survives::Outage => "full",
        };
        let connection = &self.file.connection;
        connection.pragma_update(None, "synchronous", level).map_err(|error| sqlite(&error))?;
        self.survives = Some(survives);
        Ok(())
    }

    fn execute(&self, sql: &str) -> Result<()> {
        let statement = self.file.connection.prepare_cached(sql);
        let done = statement.and_then(|mut statement| statement.execute([]));
        done.map(|_| ()).map_err(|error| sqlite(&error))
    }

    /// Moves everything into the one file and lets go of it.
    fn close(self) {
        // What is not moved now is moved when the file is opened next.
        let _ = self.file.connection.pragma_query(None, "wal_checkpoint(truncate)", |_| Ok(()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tempfile::TempDir;

    use super::*;
    use crate::embedded::file;
    use crate::local::{Entry, Shelf};

    #[test]
    fn a_failing_job_harms_no_other() {
        let (mut writer, _ground) = writer();
        let answers = serve(&mut writer, [Ok("a"), Err("b"), Ok("c")]);
        assert_eq!(answers, [Ok(()), Err(failure()), Ok(())]);
        assert_eq!(writer.kept(), ["a", "c"]);
    }

    #[test]
    fn a_panic_harms_no_other() {
        let (mut writer, _ground) = writer();
        let (answer, answered) = oneshot::channel();
        let work = |_: &mut Desk<'_>| -> Result<()> { panic!("by design") };
        writer.serve_group(vec![Box::new(Call::new(Survives::Crash, work, answer))]);
        let answer = answered.blocking_recv().expect("an answer");
        assert!(matches!(answer, Err(Error::Corrupt(_))), "{answer:?}");
        assert_eq!(serve(&mut writer, [Ok("a")]), [Ok(())]);
    }

    /// What SQLite answers: 1 is `normal`, 2 is `full`.
    #[test]
    fn a_group_with_a_commit_in_it_is_synced_and_one_without_is_not() {
        let (mut writer, _ground) = writer();
        let (answer, _answered) = oneshot::channel();
        let look = |_: &mut Desk<'_>| Ok(());
        writer.serve_group(vec![Box::new(Call::new(Survives::Crash, look, answer))]);
        assert_eq!(writer.synchronous(), 1);
        let group = [Survives::Crash, Survives::Outage].map(|survives| {
            let (answer, _) = oneshot::channel();
            Box::new(Call::new(survives, look, answer)) as _
        });
        writer.serve_group(group.into());
        assert_eq!(writer.synchronous(), 2);
    }

    #[test]
    fn a_full_disk_is_told_and_got_over() {
        let (mut writer, _ground) = writer();
        assert_eq!(serve(&mut writer, [Ok("a")]), [Ok(())]);
        writer.limit_pages(8);
        let large = "x".repeat(100_000);
        let answers = serve(&mut writer, [Ok("b"), Ok(&large), Ok("c")]);
        let kinds = answers.map(|answer| answer.map_err(|error| error.kind()));
        assert_eq!(kinds[1], Err("io"));
        let expected = ["a", "b", "c"].into_iter().zip([Ok(()), kinds[0], kinds[2]]);
        let expected = expected.filter(|(_, answer)| answer.is_ok());
        assert_eq!(writer.kept(), expected.map(|(key, _)| key).collect::<Vec<_>>());
        writer.limit_pages(10_000);
        assert_eq!(serve(&mut writer, [Ok(&*large)]), [Ok(())]);
    }

    /// All work comes before the first answer, and an answer behind the commit.
    #[test]
    fn calls_that_have_queued_up_share_a_commit() {
        let (writer, _ground) = writer();
        let book = Arc::<Mutex<Vec<&str>>>::default();
        let (queue, queued) = mpsc::channel(20);
        for _ in 0..20 {
            let call = Message::Work(Box::new(Noted(Arc::clone(&book))));
            queue.blocking_send(call).expect("room");
        }
        drop(queue);
        writer.serve(queued);
        let book = book.lock().expect("the book");
        assert_eq!(*book, [["work"; 20], ["answer"; 20]].concat());
    }

    /// A call that notes what is done with it.
    struct Noted(Arc<Mutex<Vec<&'static str>>>);

    impl Job for Noted {
        fn survives(&self) -> Survives {
            Survives::Outage
        }

        fn work(&mut self, _desk: &mut Desk<'_>) -> Result<()> {
            self.0.lock().expect("the book").push("work");
            Ok(())
        }

        fn answer(self: Box<Self>, _group: &Result<()>) {
            self.0.lock().expect("the book").push("answer");
        }
    }

    impl Writer {
        fn limit_pages(&self, pages: u32) {
            let connection = &self.file.connection;
            let set = connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
            set.expect("set");
        }

        fn synchronous(&self) -> i64 {
            let asked = self.file.connection.query_row("PRAGMA synchronous", [], |row| row.get(0));
            asked.expect("a level")
        }

        fn kept(&self) -> Vec<String> {
            let all = Table(&self.file.connection).scan(&b""[..]..&b"\xff"[..], 99);
            let text = |(key, _): Entry| String::from_utf8(key).expect("text");
            all.expect("scanned").into_iter().map(text).collect()
        }
    }

    fn writer() -> (Writer, TempDir) {
        let directory = TempDir::new().expect("a directory");
        let file = file::open(&directory.path().join("store.db")).expect("opened");
        (Writer::new(file, Clock::system()), directory)
    }

    fn failure() -> Error {
        Error::Corrupt("by design".into())
    }

    /// Serves a group of jobs that each write a key, and then succeed or fail.
    fn serve<const N: usize>(
        writer: &mut Writer,
        keys: [std::result::Result<&str, &str>; N],
    ) -> [Result<()>; N] {
        let calls = keys.map(|key| {
            let (answer, answered) = oneshot::channel();
            let outcome = key.map(|_| ()).map_err(|_| failure());
            let key = key.unwrap_or_else(|key| key).to_owned();
            let work = move |desk: &mut Desk<'_>| desk.put(key.as_bytes()).and(outcome);
            let job: Box<dyn Job> = Box::new(Call::new(Survives::Outage, work, answer));
            (job, answered)
        });
        let (jobs, answers): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        writer.serve_group(jobs);
        let mut answers = answers.into_iter();
        std::array::from_fn(|_| answers.next().expect("N").blocking_recv().expect("an answer"))
    }
}
