//! Turns through the whole pipeline, in process: failures, deaths, races, and what each of them leaves behind.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use steadfast::dialogue::{Input, Refusal};
use steadfast::store::{
    Cause, Commit, Committed, Lane, LaneKind, Loaded, Next, Settle, Store, Token,
};
use steadfast::telemetry;
use steadfast::turn::{Event, Settled};
use steadfast::turn::{MAX_TRIES, OutcomeKind, Pipeline, TurnError, TurnLayer};
use tower::ServiceExt as _;

use crate::support::bed::{item, jobs, seconds};
use crate::support::door::{self, Door};
use crate::support::stage::{ANN, OFFICE, Stage, incoming, message};
use crate::support::updates::Update;
use crate::support::watched::Fault;

/// A state of a schema that this build does not read.
const NEWER: &str = r#"{"v":1,"live":{"flow":"fragile","schema":2,"state":{"at":"word",  "n" : 1},"nonce":"oldone","since":1,"active":1,"due":{"at":1800000060123,"to":"expire"}}}"#;

/// A layer that calls `see` with each event, and with what became of it.
fn layer(see: impl Fn(&Event, Option<OutcomeKind>) + Clone + Send + Sync + 'static) -> TurnLayer {
    TurnLayer::new(tower::layer::layer_fn(move |inner: Pipeline| {
        let see = see.clone();
        tower::service_fn(move |event: Event| {
            let (see, inner) = (see.clone(), inner.clone());
            see(&event, None);
            async move {
                let outcome = inner.oneshot(event.clone()).await?;
                see(&event, Some(outcome.outcome));
                Ok(outcome)
            }
        })
    }))
}

#[tokio::test]
async fn first_layer_is_outermost_and_each_sees_event_and_outcome() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let layers = ["first", "second"].map(|name| {
        let seen = Arc::clone(&seen);
        layer(move |event, outcome| {
            seen.lock().expect("no panic").push((name, event.key, outcome));
        })
    });
    let stage = Stage::with(&layers).await;
    stage.say(&["/fragile"]).await;
    let applied = Some(OutcomeKind::Applied);
    let seen = seen.lock().expect("no panic");
    assert_eq!(
        *seen,
        [
            ("first", ANN, None),
            ("second", ANN, None),
            ("second", ANN, applied),
            ("first", ANN, applied)
        ]
    );
}

#[tokio::test]
async fn layer_that_panics_fails_only_its_own_update() {
    for panics_after in [false, true] {
        let panics = layer(move |event, outcome| {
            let is_bad = event.cause == Cause::Update(1) && outcome.is_some() == panics_after;
            assert!(!is_bad, "a layer panics");
        });
        let stage = Stage::with(&[panics]).await;
        let door = Door::open(stage.pipeline.clone()).await;
        assert!(door.post(door::message(1)).await.is_later());
        assert_eq!(door.post(door::message(2)).await.status, 200);
    }
}

#[tokio::test]
async fn a_step_that_panics_is_tried_three_times_then_put_aside_and_the_next_one_works() {
    let stage = Stage::new().await;
    stage.say(&["/fragile", "a"]).await;
    let poison = stage.update("boom");
    for tried in 1..MAX_TRIES {
        let failed = stage.deliver(&poison).await;
        assert!(matches!(failed, Err(TurnError::Failed { tries, .. }) if tries == tried));
    }
    let before = stage.dialogue().await;
    let moved = stage.deliver(&poison).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
    assert_eq!(stage.said(), ["apology"]);
    assert_eq!(stage.dialogue().await.live, before.live);
    let letters = stage.letters().await;
    assert_eq!((letters.len(), &letters[0]["body"]), (1, &"as it came".into()));
    assert!(letters[0]["reason"].as_str().unwrap().contains("panicked"));
    assert_eq!(stage.deliver(&poison).await.unwrap().outcome, OutcomeKind::Duplicate);
    assert_eq!(stage.say(&["b"]).await.outcome, OutcomeKind::Applied);
    assert_eq!(stage.said(), ["Word 2?"]);
}

#[tokio::test]
async fn a_state_that_clears_on_error_ends() {
    let stage = Stage::new().await;
    stage.say(&["/fragile", "last"]).await;
    let poison = stage.update("x");
    for _ in 1..MAX_TRIES {
        stage.deliver(&poison).await.unwrap_err();
    }
    let moved = stage.deliver(&poison).await.unwrap();
    assert_eq!(moved.edges[0].to, "failed");
    assert_eq!(stage.said(), ["apology-cleared"]);
    assert!(stage.labels().await.is_empty());
}

#[tokio::test]
async fn a_first_ever_update_that_panics_comes_to_an_end_too() {
    let stage = Stage::new().await;
    let poison = stage.update("boom");
    for tried in 1..MAX_TRIES {
        let failed = stage.deliver(&poison).await;
        assert!(matches!(failed, Err(TurnError::Failed { tries, .. }) if tries == tried));
    }
    assert_eq!(stage.deliver(&poison).await.unwrap().outcome, OutcomeKind::DeadLetter);
    assert_eq!(stage.said(), ["apology"]);
    assert_eq!(stage.say(&["/fragile"]).await.outcome, OutcomeKind::Applied);
}

/// As Telegram delivers them, in parallel: each is counted for itself, and a good one in between ends neither.
#[tokio::test]
async fn two_poison_updates_that_alternate_are_both_put_aside_and_acknowledged() {
    let stage = Stage::new().await;
    let door = Door::open(stage.pipeline.clone()).await;
    let said = |words: &str| Update::text(ANN.user, words).body();
    assert_eq!(door.post(said("/fragile")).await.status, 200);
    let poisons = [said("boom"), said("boom")];
    for _ in 1..MAX_TRIES {
        for poison in &poisons {
            assert!(door.post(poison).await.is_later());
        }
        assert_eq!(door.post(said("good")).await.status, 200);
    }
    for (poison, letters) in poisons.iter().zip(1..) {
        assert_eq!(door.post(poison).await.status, 200);
        assert_eq!(stage.said(), ["apology"]);
        assert_eq!(stage.letters().await.len(), letters);
    }
    assert_eq!(door.post(said("good")).await.status, 200);
    assert_eq!(stage.said(), ["Word 3?"]);
    door.close();
    assert!(door.closed().await);
}

#[tokio::test(start_paused = true)]
async fn two_updates_that_kill_the_process_in_turn_are_both_put_aside() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let deadly = [stage.update("a"), stage.update("b")];
    for _ in 0..MAX_TRIES {
        for update in &deadly {
            stage.die(update).await;
        }
    }
    for update in &deadly {
        let moved = stage.deliver(update).await.unwrap();
        assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
    }
    assert_eq!(stage.letters().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_update_that_kills_the_process_is_put_aside_without_being_played_again() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let deadly = stage.update("a");
    for _ in 0..MAX_TRIES {
        stage.die(&deadly).await;
    }
    let moved = stage.deliver(&deadly).await.unwrap();
    assert_eq!((moved.outcome, moved.edges.len()), (OutcomeKind::DeadLetter, 0));
    assert_eq!(stage.said(), ["apology"]);
    assert!(stage.letters().await[0]["reason"].as_str().unwrap().contains("died"));
}

#[tokio::test(start_paused = true)]
async fn tries_still_under_way_elsewhere_are_not_taken_for_deaths() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let update = stage.update("a");
    for _ in 0..MAX_TRIES {
        stage.die(&update).await;
    }
    let late = stage.deliver(&update);
    let other = async {
        tokio::time::sleep(Duration::from_secs(9)).await;
        let snapshot = stage.bed.fresh(&ANN, update.cause).await;
        let commit = crate::support::bed::plain(&snapshot, update.cause);
        stage.bed.pass(&ANN, &commit).await;
    };
    let (moved, ()) = tokio::join!(late, other);
    assert_eq!(moved.unwrap().outcome, OutcomeKind::Duplicate);
    assert!(stage.letters().await.is_empty());
}

/// Every replica finds a timer at once and counts a try, and a database that hangs holds them all up.
#[tokio::test(start_paused = true)]
async fn a_timer_that_many_replicas_are_at_is_not_taken_for_deadly() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.bed.advance(seconds(3600));
    let timer = stage.timer().await;
    for _ in 0..MAX_TRIES {
        stage.die(&timer).await;
    }
    let late = stage.deliver(&timer);
    let other = async {
        tokio::time::sleep(Duration::from_secs(9)).await;
        let snapshot = stage.bed.fresh(&ANN, timer.cause).await;
        let mut commit = crate::support::bed::plain(&snapshot, timer.cause);
        commit.next.due = Some(snapshot.now + 60_000);
        stage.bed.pass(&ANN, &commit).await;
    };
    let (moved, ()) = tokio::join!(late, other);
    assert_eq!(moved.unwrap().outcome, OutcomeKind::Ignored);
    assert!(stage.letters().await.is_empty());
}

/// It waits as long as a turn may take, for the turns of other replicas; what people do meanwhile is none of its business.
#[tokio::test(start_paused = true)]
async fn nobody_stands_behind_a_timer_that_waits_for_other_replicas() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.bed.advance(seconds(3600));
    let timer = stage.timer().await;
    for _ in 0..MAX_TRIES {
        stage.die(&timer).await;
    }
    let answer = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stage.deliver(&stage.update("a")).await
    };
    tokio::select! {
        biased;
        early = stage.deliver(&timer) => panic!("{early:?}"),
        answered = answer => assert_eq!(answered.expect("taken in").outcome, OutcomeKind::Applied),
    }
}

/// None of the replicas came back from it: the last one ends it, although the tries were waited for.
#[tokio::test(start_paused = true)]
async fn a_timer_that_kills_every_replica_is_put_aside() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.bed.advance(seconds(3600));
    let timer = stage.timer().await;
    for _ in 0..MAX_TRIES {
        stage.die(&timer).await;
    }
    let moved = stage.deliver(&timer).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
}

/// A button that is no longer active causes nothing else.
#[tokio::test]
async fn whoever_presses_an_old_button_is_back_if_they_had_blocked_the_bot() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.bed.block(ANN.chat).await.expect("blocked");
    let press = incoming(Cause::Update(999), Input::Press("cold.0".into()));
    let moved = stage.deliver(&press).await.expect("it is taken in");
    assert!(!moved.toast.is_empty() && moved.edges.is_empty(), "{moved:?}");
    assert_eq!(stage.bed.blocked(ANN.chat).await, Ok(false));
}

/// It is not the update's fault.
#[tokio::test(start_paused = true)]
async fn who_is_killed_while_a_database_keeps_them_waiting_is_not_counted() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.shelf.hangs.store(true, Ordering::Relaxed);
    let update = stage.update("look");
    for _ in 0..=MAX_TRIES {
        let killed = tokio::time::timeout(seconds(1), stage.deliver(&update)).await;
        assert!(killed.is_err(), "{killed:?}");
    }
    stage.shelf.hangs.store(false, Ordering::Relaxed);
    let moved = stage.deliver(&update).await.expect("it is taken in");
    assert_eq!(moved.outcome, OutcomeKind::Applied);
}

#[tokio::test]
async fn records_that_are_away_never_count_as_a_try() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.shelf.is_away.store(true, Ordering::Relaxed);
    let update = stage.update("look");
    for _ in 0..10 {
        let away = stage.deliver(&update).await;
        assert!(matches!(away, Err(TurnError::Records(_))), "{away:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    stage.shelf.is_away.store(false, Ordering::Relaxed);
    assert_eq!(stage.deliver(&update).await.unwrap().outcome, OutcomeKind::Applied);
    assert_eq!(stage.said(), ["the thing"]);
}

/// What is torn stays torn: the update is counted, given up, and the person goes on.
#[tokio::test]
async fn a_read_that_can_never_succeed_is_tried_three_times_then_put_aside() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.shelf.is_broken.store(true, Ordering::Relaxed);
    let update = stage.update("look");
    for tries in 1..MAX_TRIES {
        let failed = stage.deliver(&update).await;
        assert!(
            matches!(failed, Err(TurnError::Failed { tries: noted, .. }) if noted == tries),
            "{failed:?}"
        );
    }
    let moved = stage.deliver(&update).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
    assert_eq!(stage.said(), ["apology"]);
    assert_eq!(stage.letters().await.len(), 1);
    stage.say(&["a"]).await;
    assert_eq!(stage.said(), ["Word 1?"]);
}

/// Nothing is noted of somebody who was never here until it is known that their turn failed.
#[tokio::test]
async fn a_read_that_panics_for_a_stranger_is_put_aside_after_three_tries() {
    let stage = Stage::new().await;
    stage.shelf.panics.store(true, Ordering::Relaxed);
    let update = stage.update("lost");
    for _ in 1..MAX_TRIES {
        let failed = stage.deliver(&update).await;
        assert!(matches!(failed, Err(TurnError::Failed { .. })), "{failed:?}");
    }
    let moved = stage.deliver(&update).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
    assert_eq!(stage.letters().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_waits_behind_a_turn_that_never_ends_gives_up_their_place() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.shelf.hangs.store(true, Ordering::Relaxed);
    let (endless, next) = (stage.update("look"), stage.update("a"));
    let began = tokio::time::Instant::now();
    tokio::select! {
        biased;
        never = stage.deliver(&endless) => panic!("{never:?}"),
        behind = stage.deliver(&next) => {
            assert!(matches!(behind, Err(TurnError::TooOld)), "{behind:?}");
        }
    }
    // By a clock that stands still until nothing else is left to do, so a busy machine does not bend it.
    assert!(began.elapsed() < seconds(11), "{:?}", began.elapsed());
}

/// The answer was given ten seconds after the question, and Telegram could bring it two hours later; the sweepers had put the
/// question aside by then, or not.
#[tokio::test]
async fn an_answer_given_in_time_is_taken_two_hours_later() {
    for is_swept in [false, true] {
        let stage = Stage::new().await;
        stage.say(&["/fragile"]).await;
        stage.bed.advance(Duration::from_secs(10));
        let mut answer = stage.update("a");
        answer.sent = Some(stage.now().await);
        stage.bed.advance(Duration::from_secs(7200));
        if is_swept {
            let timer = stage.timer().await;
            stage.deliver(&timer).await.expect("it is put aside");
            assert_eq!(stage.labels().await, ["fragile/parked"]);
        }
        let moved = stage.deliver(&answer).await.expect("it is taken in");
        assert_eq!(moved.outcome, OutcomeKind::Applied);
        assert_eq!(stage.said(), ["Word 1?"], "put aside: {is_swept}");
    }
}

#[tokio::test]
async fn a_flow_that_no_living_replica_knows_is_put_aside_when_its_time_comes() {
    const RECORD: &str = r#"{"v":1,"live":{"flow":"gone","state":{"at":"x"},"nonce":"n","since":1,"active":1,"due":{"at":2,"to":"expire"}}}"#;
    let stage = Stage::new().await;
    stage.write(RECORD, "gone/x").await;
    stage.meets("gone", 1).await;
    stage.bed.advance(Duration::from_secs(61));
    let timer = stage.timer().await;
    let moved = stage.deliver(&timer).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::Ignored, "somebody else knows it");
    assert_eq!(stage.labels().await, ["gone/x"]);

    let stage = Stage::new().await;
    stage.meets("fragile", 1).await;
    stage.write(RECORD, "gone/x").await;
    stage.bed.advance(Duration::from_secs(61));
    let timer = stage.timer().await;
    let moved = stage.deliver(&timer).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::Applied);
    assert_eq!(stage.labels().await, ["gone/parked"]);
    stage.say(&["/fragile"]).await;
    assert_eq!(stage.said(), ["Word 0?"], "the person is free");
}

/// Its flow wants to read something before it opens on `/start`.
#[tokio::test]
async fn start_and_cancel_work_while_the_records_are_away() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.shelf.is_away.store(true, Ordering::Relaxed);
    let moved = stage.say(&["/start"]).await;
    assert_eq!(moved.outcome, OutcomeKind::Applied);
    assert_eq!(stage.labels().await, ["fragile/parked"]);
    assert_eq!(stage.said()[0], "start");

    stage.say(&["/fragile", "/cancel"]).await;
    assert_eq!(stage.labels().await, ["fragile/parked"]);

    let invited = stage.deliver(&stage.update("/start invitation")).await;
    assert!(matches!(invited, Err(TurnError::Records(_))), "{invited:?}");
}

/// Its flow wants to read something before it opens on this word, and before it knows whether an answer to a message is for it.
#[tokio::test]
async fn who_can_be_answered_without_the_records_does_not_wait_for_them() {
    let stage = Stage::new().await;
    stage.shelf.is_away.store(true, Ordering::Relaxed);
    stage.say(&["lost"]).await;
    assert_eq!(stage.said(), ["not-understood"]);

    stage.say(&["/fragile"]).await;
    let answer = || {
        let mut update = stage.update("Under the mat");
        update.reply_to = Some(7);
        update
    };
    stage.deliver(&answer()).await.expect("it is taken in");
    assert_eq!(stage.said(), ["reply-later"], "it is no word for the flow");
    stage.shelf.is_away.store(false, Ordering::Relaxed);
    stage.deliver(&answer()).await.expect("it is taken in");
    assert_eq!(stage.said(), ["Word 1?"]);
}

#[tokio::test]
async fn a_store_that_is_away_never_counts_as_a_try() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let update = stage.update("a");
    // How often it goes wrong before it fails: a commit is asked about once more.
    for (call, fault, times) in
        [("load", Fault::Before, 1), ("load", Fault::After, 1), ("commit", Fault::Before, 2)]
    {
        for is_mute in [false, true].repeat(5) {
            stage.store.fail(call, fault, times);
            stage.store.fail("blame", Fault::Before, usize::from(is_mute));
            let away = stage.deliver(&update).await;
            assert!(matches!(away, Err(TurnError::Store(_))), "{away:?}");
        }
    }
    let applied = loop {
        if let Ok(moved) = stage.deliver(&update).await {
            break moved;
        }
    };
    assert_eq!(applied.outcome, OutcomeKind::Applied);
    assert!(stage.letters().await.is_empty());
}

#[tokio::test]
async fn a_store_that_is_away_is_asked_for_one_pardon_at_a_time() {
    let stage = Stage::new().await;
    let calls = 1000;
    stage.store.fail("blame", Fault::Before, calls);
    for _ in 0..100 {
        stage.store.fail("load", Fault::After, 1);
        let update = stage.update("a");
        let away = stage.deliver(&update).await;
        assert!(matches!(away, Err(TurnError::Store(_))), "{away:?}");
        tokio::task::yield_now().await;
    }
    let asked = calls - stage.store.still_to_fail("blame");
    assert!((1..=5).contains(&asked), "asked {asked} times");
}

/// Redis is frozen: each load is carried out when it thaws, and the pardons after all of them.
#[tokio::test]
async fn a_store_that_is_away_from_many_replicas_never_counts_as_a_try() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let update = stage.update("a");
    let replicas = [(); MAX_TRIES as usize + 1].map(|()| stage.replica());
    stage.store.fail("blame", Fault::Before, replicas.len());
    for replica in &replicas {
        stage.store.fail("load", Fault::After, 1);
        let away = replica.clone().oneshot(update.clone()).await;
        assert!(matches!(away, Err(TurnError::Store(_))), "{away:?}");
    }
    // Their first pardon failed with the store, the second comes after a second.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let applied = stage.deliver(&update).await.unwrap();
    assert_eq!(applied.outcome, OutcomeKind::Applied);
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_asked_about_and_happens_once() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.store.fail("commit", Fault::After, 1);
    assert_eq!(stage.say(&["a"]).await.outcome, OutcomeKind::Applied);
    let update = stage.update("b");
    stage.store.fail("commit", Fault::After, 2);
    assert!(matches!(stage.deliver(&update).await, Err(TurnError::Store(_))));
    assert_eq!(stage.deliver(&update).await.unwrap().outcome, OutcomeKind::Duplicate);
    stage.say(&["c"]).await;
    assert_eq!(stage.said(), ["Word 3?"]);
    let page = recorder.handle().render();
    let counted = "steadfast_commit_retries_total 2";
    assert!(page.lines().any(|line| line == counted), "{page}");
}

#[tokio::test]
async fn an_update_that_ended_a_dialogue_is_known_for_two_days() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let end = stage.update("/cancel");
    assert_eq!(stage.deliver(&end).await.unwrap().outcome, OutcomeKind::Applied);
    stage.bed.advance(seconds(47 * 3600));
    let again = stage.deliver(&end).await.unwrap();
    assert_eq!(again.outcome, OutcomeKind::Duplicate);
}

#[tokio::test]
async fn an_update_that_waited_too_long_is_not_even_loaded() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let update = stage.update("a");
    let mut waited = update.clone();
    waited.received -= Duration::from_secs(11);
    // A load would meet this.
    stage.store.fail("load", Fault::Before, 1);
    let refused = stage.pipeline.clone().oneshot(waited).await;
    assert!(matches!(refused, Err(TurnError::TooOld)), "{refused:?}");
    let met = stage.deliver(&update).await;
    assert!(matches!(met, Err(TurnError::Store(_))), "{met:?}");
    let applied = stage.deliver(&update).await.unwrap();
    assert_eq!(applied.outcome, OutcomeKind::Applied);
}

/// Telegram may have given up on it meanwhile and brought it elsewhere.
#[tokio::test]
async fn a_turn_that_took_too_long_is_not_committed() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let update = stage.update("a");
    let mut late = update.clone();
    late.received -= seconds(9);
    let slow = tokio::time::sleep(Duration::from_millis(1100));
    stage.store.before("load", slow);
    let refused = stage.pipeline.clone().oneshot(late).await;
    assert!(matches!(refused, Err(TurnError::TooOld)), "{refused:?}");
    assert_eq!(stage.store.commits().len(), 1);
    let applied = stage.deliver(&update).await.unwrap();
    assert_eq!(applied.outcome, OutcomeKind::Applied);
}

/// As Telegram does that never hears the answers.
#[tokio::test]
async fn an_update_that_comes_six_times_in_a_row_is_applied_once() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let update = stage.update("a");
    let applied = stage.deliver(&update).await.unwrap();
    assert_eq!(applied.outcome, OutcomeKind::Applied);
    for _ in 1..6 {
        let again = stage.deliver(&update).await.unwrap();
        assert_eq!((again.outcome, again.edges.len()), (OutcomeKind::Duplicate, 0));
    }
    stage.say(&["b"]).await;
    assert_eq!(stage.said(), ["Word 2?"]);
    assert_eq!(stage.waiting().await, ["Word 0?", "Word 1?", "Word 2?"]);
}

#[tokio::test]
async fn a_conflict_runs_the_step_again_on_what_is_there_now() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let (other, update) = (stage.replica(), stage.update("other"));
    stage.store.meanwhile(async move {
        other.oneshot(update).await.unwrap();
    });
    let moved = stage.say(&["a"]).await;
    assert_eq!((moved.outcome, moved.attempts), (OutcomeKind::Applied, 2));
    assert_eq!(stage.said(), ["Word 2?"]);
}

/// Others are at the same update, waiting for the same thing, when the step is run again: they have not died.
#[tokio::test]
async fn tries_that_a_conflict_tells_of_are_no_deaths() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let (update, store) = (stage.update("a"), Arc::clone(&stage.bed.store));
    let cause = update.cause;
    stage.store.meanwhile(async move {
        for _ in 0..=MAX_TRIES {
            store.load(&ANN, cause, Token::fresh()).await.unwrap();
        }
        touch(&*store).await;
    });
    let moved = stage.deliver(&update).await.unwrap();
    assert_eq!((moved.outcome, moved.attempts), (OutcomeKind::Applied, 2));
    assert!(stage.letters().await.is_empty());
}

/// The re-runs are bounded, and running into the bound is nobody's fault: the update comes again, and no try is counted.
#[tokio::test]
async fn a_turn_that_is_never_first_is_given_back_after_a_bound() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    for _ in 0..8 {
        let store = Arc::clone(&stage.bed.store);
        stage.store.meanwhile(async move { touch(&*store).await });
    }
    let update = stage.update("a");
    let crowded = stage.deliver(&update).await;
    assert!(matches!(crowded, Err(TurnError::Contended(8))), "{crowded:?}");
    assert_eq!(stage.deliver(&update).await.unwrap().outcome, OutcomeKind::Applied);
}

/// Commits what is there once more, as another replica might.
async fn touch(store: &dyn Store) {
    let turn = Token::fresh();
    let Ok(Loaded::Fresh(snapshot)) = store.load(&ANN, Cause::Order, turn).await else {
        panic!("a dialogue");
    };
    let person = store.peek(&ANN).await.unwrap().unwrap();
    let commit = Commit {
        turn,
        cause: Cause::Order,
        expected: snapshot.version,
        loaded_at: snapshot.now,
        next: Next { labels: person.labels, body: person.body, due: person.due, idle: seconds(60) },
        messages: Vec::new(),
        jobs: Vec::new(),
        dead: None,
        settles: None,
    };
    let committed = store.commit(&ANN, &commit).await.unwrap();
    assert!(matches!(committed, Committed::Done(_)), "{committed:?}");
}

#[tokio::test]
async fn an_update_that_another_replica_commits_meanwhile_is_a_duplicate() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let (other, update) = (stage.replica(), stage.update("a"));
    let same = update.clone();
    stage.store.meanwhile(async move {
        other.oneshot(same).await.unwrap();
    });
    assert_eq!(stage.deliver(&update).await.unwrap().outcome, OutcomeKind::Duplicate);
    assert_eq!(stage.said(), ["Word 1?"]);
}

#[tokio::test]
async fn a_hundred_copies_at_once_on_three_replicas_are_applied_once() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let replicas = [stage.replica(), stage.replica(), stage.replica()];
    let update = stage.update("a");
    let mut copies = tokio::task::JoinSet::new();
    for number in 0..100 {
        copies.spawn(replicas[number % 3].clone().oneshot(update.clone()));
    }
    let mut applied = 0;
    while let Some(copy) = copies.join_next().await {
        applied += u32::from(copy.unwrap().unwrap().outcome == OutcomeKind::Applied);
    }
    assert_eq!(applied, 1);
    assert_eq!(stage.said(), ["Word 1?"]);
    assert!(stage.letters().await.is_empty());
}

#[tokio::test]
async fn a_state_over_the_ceiling_is_put_aside_with_a_clear_reason_and_an_apology() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let before = stage.dialogue().await;
    let update = stage.update("large");
    for _ in 1..MAX_TRIES {
        let failed = stage.deliver(&update).await;
        assert!(matches!(failed, Err(TurnError::Failed { .. })), "{failed:?}");
    }
    let moved = stage.deliver(&update).await.unwrap();
    assert_eq!((moved.outcome, moved.edges.len()), (OutcomeKind::DeadLetter, 0));
    assert_eq!(stage.said(), ["apology"]);
    assert_eq!(stage.dialogue().await.live, before.live);
    let reason = stage.letters().await[0]["reason"].to_string();
    assert!(reason.contains("65536"), "{reason}");
}

#[tokio::test]
async fn a_newer_state_is_left_to_a_replica_that_reads_it() {
    let stage = Stage::new().await;
    stage.write(NEWER, "fragile/word").await;
    stage.meets("fragile", 2).await;
    let update = stage.update("a");
    for _ in 0..2 * MAX_TRIES {
        let newer = stage.deliver(&update).await;
        assert!(matches!(newer, Err(TurnError::Newer { .. })), "{newer:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(stage.person().await.unwrap().body, NEWER);
}

#[tokio::test]
async fn a_newer_state_that_nobody_reads_is_kept_and_told_about_once() {
    let stage = Stage::new().await;
    stage.meets("fragile", 1).await;
    stage.write(NEWER, "fragile/word").await;
    assert_eq!(stage.say(&["a"]).await.outcome, OutcomeKind::Applied);
    assert_eq!(stage.said(), ["newer-state"]);
    assert_eq!(stage.say(&["b"]).await.outcome, OutcomeKind::Ignored);
    let body = stage.person().await.unwrap().body;
    assert!(String::from_utf8(body.to_vec()).unwrap().contains(r#"{"at":"word",  "n" : 1}"#));
    stage.say(&["/start"]).await;
    assert_eq!(stage.labels().await, ["fragile/parked"]);
}

#[tokio::test]
async fn a_newer_state_waits_until_it_is_known_who_else_is_there() {
    let stage = Stage::new().await;
    stage.write(NEWER, "fragile/word").await;
    let newer = stage.deliver(&stage.update("a")).await;
    assert!(matches!(newer, Err(TurnError::Newer { .. })), "{newer:?}");
    assert_eq!(stage.person().await.unwrap().body, NEWER);
}

#[tokio::test]
async fn the_timer_of_a_newer_state_comes_to_nothing_however_often_it_is_found() {
    let stage = Stage::new().await;
    stage.write(NEWER, "fragile/word").await;
    stage.bed.advance(seconds(61));
    let timer = stage.timer().await;
    for _ in 0..4 * MAX_TRIES {
        assert_eq!(stage.deliver(&timer).await.unwrap().outcome, OutcomeKind::Ignored);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(stage.person().await.unwrap().body, NEWER);
    assert!(stage.letters().await.is_empty());
}

#[tokio::test]
async fn a_record_of_a_newer_format_is_left_alone_until_start_or_an_operator() {
    const RECORD: &str = r#"{"v":2,"who":"knows"}"#;
    for (way_out, said) in [("/start", "start"), ("/cancel", "nothing-to-cancel")] {
        let stage = Stage::new().await;
        stage.meets("fragile", 1).await;
        stage.write(RECORD, "fragile/word").await;
        for text in ["a", "b"] {
            assert_eq!(stage.say(&[text]).await.outcome, OutcomeKind::Ignored);
            assert_eq!(stage.waiting().await, ["newer-state"]);
        }
        let press = incoming(Cause::Update(7), Input::Press("c:1".to_owned()));
        let pressed = stage.deliver(&press).await.unwrap();
        assert_eq!(pressed.outcome, OutcomeKind::Ignored);
        assert_eq!(pressed.toast, "newer-state");
        assert_eq!(stage.person().await.unwrap().body, RECORD);
        stage.say(&[way_out]).await;
        assert_eq!(stage.said(), [said]);
        assert!(stage.labels().await.is_empty());
        let kept = stage.letters().await[0].to_string();
        assert!(kept.contains("knows"), "{kept}");
    }
    let stage = Stage::new().await;
    stage.meets("fragile", 1).await;
    stage.write(RECORD, "fragile/word").await;
    stage.deliver(&incoming(Cause::Order, Input::Reset)).await.unwrap();
    assert!(stage.labels().await.is_empty());
}

#[tokio::test]
async fn a_record_of_a_newer_format_is_left_to_a_replica_that_reads_it() {
    let stage = Stage::new().await;
    stage.write(r#"{"v":2}"#, "fragile/word").await;
    stage.meets(steadfast::dialogue::RECORD, 2).await;
    for text in ["a", "/start", "/cancel"] {
        let newer = stage.deliver(&stage.update(text)).await;
        assert!(matches!(newer, Err(TurnError::Newer { .. })), "{newer:?}");
    }
    assert_eq!(stage.person().await.unwrap().body, r#"{"v":2}"#);
}

#[tokio::test]
async fn a_broken_record_is_put_aside_and_the_person_told_once() {
    let stage = Stage::new().await;
    stage.write("{broken", "fragile/word").await;
    assert_eq!(stage.say(&["a"]).await.outcome, OutcomeKind::Applied);
    assert_eq!(stage.said(), ["apology-cleared"]);
    assert_broken_letter(&stage).await;
    assert_eq!(stage.say(&["/fragile"]).await.outcome, OutcomeKind::Applied);
    assert_eq!(stage.said(), ["Word 0?"]);
    assert_eq!(stage.letters().await.len(), 1);
}

#[tokio::test]
async fn a_broken_record_is_put_aside_without_a_word_for_who_begins_anew() {
    for input in ["/start", "/cancel", ""] {
        let stage = Stage::new().await;
        stage.write("{broken", "fragile/word").await;
        let update = match input {
            "" => incoming(Cause::Order, Input::Reset),
            text => stage.update(text),
        };
        let moved = stage.deliver(&update).await.unwrap();
        assert_eq!(moved.outcome, OutcomeKind::Applied, "{input}");
        assert!(!stage.said().contains(&"apology-cleared".to_owned()));
        assert!(stage.labels().await.is_empty());
        assert_broken_letter(&stage).await;
    }
}

#[tokio::test]
async fn the_timer_of_a_broken_record_comes_to_rest() {
    let stage = Stage::new().await;
    stage.write("{broken", "fragile/word").await;
    stage.bed.advance(seconds(61));
    stage.deliver(&stage.timer().await).await.unwrap();
    assert!(stage.bed.timers(None).await.is_empty());
    assert_broken_letter(&stage).await;
}

/// What was there is kept for an operator.
async fn assert_broken_letter(stage: &Stage) {
    let letters = stage.letters().await;
    let told = |name: &str| letters[0][name].as_str().unwrap_or_default().to_owned();
    assert_eq!(letters.len(), 1);
    assert_eq!(
        ["kind", "reason", "body", "dialogue"].map(told),
        ["record", "unreadable record", "{broken", "5:5"]
    );
}

#[tokio::test]
async fn what_concerns_no_dialogue_writes_nothing() {
    let stage = Stage::new().await;
    let mut chatter = stage.update("lunch?");
    chatter.key.chat = -5;
    for _ in 0..3 * MAX_TRIES {
        assert_eq!(stage.deliver(&chatter).await.unwrap().outcome, OutcomeKind::Ignored);
    }
    assert_eq!(stage.bed.peek(&chatter.key).await, Ok(None));
    stage.say(&["/fragile", "/cancel"]).await;
    let before = stage.person().await;
    let edited = incoming(Cause::Update(7), Input::Edited);
    for _ in 0..3 * MAX_TRIES {
        assert_eq!(stage.deliver(&edited).await.unwrap().outcome, OutcomeKind::Ignored);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(stage.person().await, before);
    assert!(stage.letters().await.is_empty());
}

/// As from a replica that stood still with it: what somebody said to others must not become the answer to what the bot asked since.
#[tokio::test]
async fn what_was_passed_by_in_a_group_is_no_answer_when_it_comes_again() {
    let stage = Stage::new().await;
    let in_group = |text: &str| {
        let mut update = stage.update(text);
        update.key.chat = -5;
        update
    };
    for text in ["/fragile", "/cancel"] {
        stage.deliver(&in_group(text)).await.unwrap();
    }
    let chatter = in_group("who has the keys?");
    stage.said();
    let passed_by = stage.deliver(&chatter).await.unwrap();
    assert_eq!(passed_by.outcome, OutcomeKind::Ignored);
    assert_eq!(stage.said(), [] as [String; 0], "nothing is said to it");
    let asks = stage.deliver(&in_group("/fragile")).await.unwrap();
    assert_eq!(asks.outcome, OutcomeKind::Applied);
    let again = stage.deliver(&chatter).await.unwrap();
    assert_eq!(again.outcome, OutcomeKind::Duplicate);
    let answer = stage.deliver(&in_group("here")).await.unwrap();
    assert_eq!(answer.outcome, OutcomeKind::Applied, "an answer is taken");
}

#[tokio::test]
async fn a_timer_whose_due_has_moved_does_nothing() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let timer = stage.timer().await;
    stage.bed.advance(seconds(59));
    stage.say(&["a"]).await;
    stage.bed.advance(seconds(2));
    let before = stage.person().await;
    assert_eq!(stage.deliver(&timer).await.unwrap().outcome, OutcomeKind::Ignored);
    assert_eq!(stage.person().await, before);
}

#[tokio::test]
async fn a_timer_that_loses_against_an_answer_does_nothing() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    stage.bed.advance(seconds(61));
    let (other, answer) = (stage.replica(), stage.update("a"));
    stage.store.meanwhile(async move {
        other.oneshot(answer).await.unwrap();
    });
    let moved = stage.deliver(&stage.timer().await).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::Ignored);
    assert_eq!(stage.labels().await, ["fragile/word"]);
}

#[tokio::test]
async fn two_sweepers_and_an_answer_race_and_there_is_one_outcome() {
    for _ in 0..50 {
        let stage = Stage::new().await;
        stage.say(&["/fragile"]).await;
        stage.bed.advance(seconds(61));
        let timer = stage.timer().await;
        let answer = stage.update("a");
        let racers = [stage.replica(), stage.replica(), stage.replica()];
        let mut race = tokio::task::JoinSet::new();
        for (racer, incoming) in racers.into_iter().zip([timer.clone(), answer, timer]) {
            race.spawn(racer.oneshot(incoming));
        }
        while let Some(raced) = race.join_next().await {
            raced.unwrap().unwrap();
        }
        let commits = stage.store.commits();
        let timers = commits.iter().filter(|(_, commit)| matches!(commit.cause, Cause::Timer(_)));
        let expired = timers.count();
        let label = if expired == 1 { "fragile/parked" } else { "fragile/word" };
        assert!(expired <= 1);
        assert_eq!(stage.labels().await, [label]);
        assert!(stage.letters().await.is_empty());
    }
}

#[tokio::test]
async fn a_timer_that_fails_is_put_aside_and_never_fires_again() {
    let stage = Stage::new().await;
    stage.say(&["/fragile", "bomb"]).await;
    stage.bed.advance(seconds(61));
    let timer = stage.timer().await;
    for _ in 1..MAX_TRIES {
        stage.deliver(&timer).await.unwrap_err();
    }
    assert_eq!(stage.deliver(&timer).await.unwrap().outcome, OutcomeKind::DeadLetter);
    assert_eq!(stage.said(), ["expired"]);
    assert_eq!(stage.labels().await, ["fragile/parked"]);
    assert!(stage.bed.timers(None).await.is_empty());
}

#[tokio::test]
async fn a_message_to_another_chat_is_handed_over_to_that_chats_lane() {
    let stage = Stage::new().await;
    stage.say(&["/fragile", "tell"]).await;
    assert_eq!(stage.said(), ["Told."]);
    let office = Lane { kind: LaneKind::Messages, chat: OFFICE };
    for _ in 0..500 {
        tokio::time::sleep(Duration::from_millis(2)).await;
        stage.bed.advance(seconds(6));
        let due = stage.store.due(Token::fresh(), 100, None).await.unwrap();
        if let Some((_, head)) = due.lanes.iter().find(|(lane, _)| *lane == office) {
            let message = message(&head.item.body);
            assert_eq!((message.chat, message.text.as_str()), (OFFICE, "Hear!"));
            return;
        }
    }
    panic!("nothing arrived in the lane of the office");
}

/// The letter of a broken record, and that of a dialogue which nobody can read: the commit keeps one, the other follows.
#[tokio::test]
async fn a_refusal_that_meets_a_broken_dialogue_leaves_both_letters() {
    let stage = Stage::new().await;
    stage.write_at(&ANN, "{").await;
    let (token, job) = (Token::fresh(), item("a"));
    let pushed = stage.bed.push(jobs(ANN.chat), token, &job).await;
    pushed.expect("pushed");
    let refusal =
        Refusal { flow: "fragile".to_owned(), reason: String::new(), command: "broken".into() };
    let settled = Settled {
        jobs: Settle { token, ids: vec!["a".to_owned()] },
        letter: Some(r#"{"reason":"no such table"}"#.into()),
    };
    let refused =
        Event { settles: Some(settled), ..incoming(Cause::Order, Input::Refused(refusal)) };
    // The store is away when the second is to be kept.
    stage.store.fail("entomb", Fault::Before, 2);
    stage.deliver(&refused).await.expect("it is taken in");
    let letters = stage.letters().await;
    let mut reasons: Vec<_> = letters.iter().map(|it| it["reason"].as_str()).collect();
    reasons.sort_unstable();
    assert_eq!(reasons, [Some("no such table"), Some("unreadable record")]);
}
