//! What only a store in a file has to do: outlive its process, and belong to one at a time.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use steadfast::store::{
    Cause, Clock, DialogueKey, Embedded, Error, Limits, Shift, Store as _, Token,
};
use tempfile::TempDir;

use crate::support::bed::{Bed, item, key, messages, seconds};

/// Names the file to the process that is going to be killed.
const VICTIM: &str = "STORE_TEST_FILE";

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("not/yet/there/store.db");
    let receipt = {
        let bed = open(&path);
        let receipt = enter(&bed, &key(5, 5)).await;
        assert!(path.with_extension("db-wal").exists());
        bed.close().await;
        receipt
    };
    let bed = open(&path);
    let person = bed.peek(&key(5, 5)).await.expect("an answer");
    assert_eq!(person.map(|person| person.version), Some(receipt));
    assert_eq!(bed.counts().await, [("order/phone".into(), 1)]);
    assert!(bed.has_seen(&key(5, 5), 1).await);
}

#[tokio::test]
async fn a_file_in_use_is_refused_by_name() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("store.db");
    let bed = open(&path);
    let refused = Embedded::open(&path).expect_err("the second is refused");
    let said = refused.to_string();
    assert!(said.contains("in use by another process"), "{said}");
    assert!(said.contains(&path.display().to_string()), "{said}");
    bed.close().await;
    open(&path).close().await;
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let directory = TempDir::new().expect("a directory");
    let bed = open(&directory.path().join("store.db"));
    bed.close().await;
    bed.close().await;
    let refused = bed.ping().await.expect_err("it is closed");
    assert_eq!(refused.kind(), "closed");
}

#[test]
fn a_place_that_cannot_be_written_is_named_with_the_fix() {
    let directory = TempDir::new().expect("a directory");
    let file = directory.path().join("file");
    fs::write(&file, "").expect("written");
    let refused = Embedded::open(&file.join("store.db")).expect_err("refused");
    let said = refused.to_string();
    assert_eq!(refused.kind(), "io");
    assert!(said.contains(&file.display().to_string()), "{said}");
    assert!(said.contains("DATA_DIR"), "{said}");
}

#[test]
fn a_file_of_another_kind_is_left_alone() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("store.db");
    let content = "not a database, ".repeat(100);
    fs::write(&path, &content).expect("written");
    let refused = Embedded::open(&path).expect_err("refused");
    assert!(matches!(refused, Error::Corrupt(_)), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).expect("read"), content);
}

#[tokio::test]
async fn what_was_answered_survives_a_killed_process() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("store.db");
    let answered = kill_while_committing(&path, 200);
    let bed = open(&path);
    for user in 0..answered {
        let person = bed.peek(&key(5, user)).await.expect("an answer");
        assert!(person.is_some(), "the commit of {user} was answered");
    }
    let count = bed.counts().await[0].1 as i64;
    assert!((answered..=answered + 1).contains(&count), "{answered} {count}");
    bed.advance(seconds(60));
    let (_, lanes) = bed.claim().await;
    assert_eq!(lanes, [(messages(5), item(0))]);
}

/// The file belongs to one process at a time: whoever opens it knows that those before are gone.
#[tokio::test]
async fn what_a_process_held_is_free_for_the_next_one() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("store.db");
    let bed = open(&path);
    enter(&bed, &key(5, 5)).await;
    let first = bed.lease("webhook", Token(1), seconds(90)).await;
    let first = first.expect("a lease");
    assert_eq!(bed.lease("webhook", Token(2), seconds(90)).await, Ok(None));
    bed.beat("first", Some("info".into())).await.expect("a pulse");
    bed.close().await;
    let bed = open(&path);
    let second = bed.lease("webhook", Token(2), seconds(90)).await;
    assert!(second.expect("a lease") > first);
    let (_, lanes) = bed.claim().await;
    assert_eq!(lanes, [(messages(5), item(5))]);
    let pulse = bed.beat("second", Some("info".into())).await;
    assert_eq!(pulse.map(|pulse| pulse.replicas.len()), Ok(1));
    bed.close().await;
}

/// Time that passes while a replica is alive is no outage, also when it passes at once.
#[tokio::test]
async fn a_leap_of_the_clock_makes_timers_due_and_is_no_outage() {
    let directory = TempDir::new().expect("a directory");
    let (path, shift) = (directory.path().join("store.db"), Shift::new(1000));
    let store = Embedded::open_with_clock(&path, Clock::ahead(&shift)).expect("a store");
    let before = store.beat("one", Some("info".into())).await;
    let before = before.expect("a pulse").now;
    let now = store.leap(&shift, 900_000).await.expect("a leap");
    assert!(now >= before + 899_000, "{before} {now}");
    let again = store.leap(&shift, 900_000).await.expect("the same leap");
    assert!(again < now + 60_000, "asked twice, it is done once");
    let pulse = store.beat("two", Some("info".into())).await;
    let pulse = pulse.expect("a pulse");
    assert_eq!((pulse.hold, pulse.replicas.len()), (None, 2));
    assert!(pulse.now >= now);
    store.leap(&shift, 0).await.expect("nothing");
    assert_eq!(shift.get(), 900_000, "never back");
    store.close().await;
}

/// Not a test: the process that [`kill_while_committing`] kills.
#[tokio::test]
#[ignore = "it is run by another test, to be killed"]
async fn the_process_to_be_killed() {
    let Some(path) = std::env::var_os(VICTIM) else {
        return;
    };
    let bed = open(Path::new(&path));
    for user in 0.. {
        enter(&bed, &key(5, user)).await;
        println!("committed {user}");
    }
}

/// Starts a process that commits one dialogue after the other, kills it, and answers how many it said it had committed.
fn kill_while_committing(path: &Path, count: usize) -> i64 {
    let mut victim = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "store::file::the_process_to_be_killed"])
        .args(["--ignored", "--nocapture"])
        .env(VICTIM, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let output = BufReader::new(victim.stdout.take().expect("its output"));
    let mut lines = output.lines().map_while(Result::ok);
    let committed = |line: &String| line.contains("committed ");
    let before = lines.by_ref().filter(committed).take(count).count();
    victim.kill().expect("killed");
    victim.wait().expect("gone");
    (before + lines.filter(committed).count()) as i64
}

fn open(path: &Path) -> Bed {
    Bed::embedded_at(path, Limits::default())
}

/// Puts somebody into a dialogue, with a message, and answers the version.
async fn enter(bed: &Bed, key: &DialogueKey) -> u64 {
    let receipt = bed.turn(key, Cause::Update(1), |commit| {
        commit.messages = vec![item(key.user)];
    });
    receipt.await.version
}
