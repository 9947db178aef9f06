//! Loading and committing a dialogue.

use std::time::Duration;

use steadfast::store::{
    Cause, Commit, Committed, DialogueKey, Error, Loaded, MAX_BODY_BYTES, MAX_TURN_AGE, Next,
    Person, SEEN_FOR, SEEN_MAX, Snapshot, Token,
};

use crate::support::bed::{Bed, items, jobs, key, messages, plain, seconds};

const ANN: DialogueKey = DialogueKey { chat: 5, user: 5, topic: None };

pub(crate) async fn an_unknown_dialogue_is_blank(bed: &Bed) {
    let snapshot = bed.fresh(&ANN, Cause::Update(1)).await;
    let blank = Snapshot { now: snapshot.now, ..Snapshot::default() };
    assert_eq!(snapshot, blank);
    assert_eq!(bed.peek(&ANN).await, Ok(None));
}

pub(crate) async fn a_commit_loads_back(bed: &Bed) {
    let commit = plain(&bed.fresh(&ANN, Cause::Update(1)).await, Cause::Update(1));
    let receipt = bed.pass(&ANN, &commit).await;
    let snapshot = bed.fresh(&ANN, Cause::Update(2)).await;
    assert_eq!(snapshot.version, receipt.version);
    assert_eq!(snapshot.body, Some(commit.next.body.clone()));
    assert_eq!(snapshot.due, commit.next.due);
    let person = Person {
        key: ANN,
        version: receipt.version,
        unreadable: None,
        labels: commit.next.labels,
        body: commit.next.body,
        due: commit.next.due,
    };
    assert_eq!(bed.peek(&ANN).await, Ok(Some(person)));
}

pub(crate) async fn a_body_comes_back_byte_for_byte(bed: &Bed) {
    let all: Vec<u8> = (0..=255).filter(|&byte| byte != b'\n').collect();
    for (update, body) in [(1, all), (2, Vec::new())] {
        bed.turn(&ANN, Cause::Update(update), |commit| {
            commit.next.body = body.clone().into();
        })
        .await;
        let snapshot = bed.fresh(&ANN, Cause::Update(9)).await;
        assert_eq!(snapshot.body.as_deref(), Some(&body[..]));
    }
}

pub(crate) async fn a_body_over_the_ceiling_is_refused(bed: &Bed) {
    let snapshot = bed.fresh(&ANN, Cause::Update(1)).await;
    let mut commit = plain(&snapshot, Cause::Update(1));
    commit.next.body = vec![b'x'; MAX_BODY_BYTES + 1].into();
    let refused = bed.commit(&ANN, &commit).await;
    let bytes = MAX_BODY_BYTES + 1;
    assert_eq!(refused, Err(Error::TooLarge { bytes }));
    assert_eq!(bed.peek(&ANN).await, Ok(None));
    commit.next.body.truncate(MAX_BODY_BYTES);
    bed.pass(&ANN, &commit).await;
}

pub(crate) async fn an_update_counts_once(bed: &Bed) {
    let early = bed.fresh(&ANN, Cause::Update(7)).await;
    bed.turn(&ANN, Cause::Update(7), |_| {}).await;
    assert!(bed.has_seen(&ANN, 7).await);
    let again = bed.commit(&ANN, &plain(&early, Cause::Update(7))).await;
    assert_eq!(again, Ok(Committed::Duplicate));
    assert!(!bed.has_seen(&ANN, 8).await);
    assert!(!bed.has_seen(&key(6, 5), 7).await);
}

pub(crate) async fn a_stale_version_conflicts(bed: &Bed) {
    let early = bed.fresh(&ANN, Cause::Update(1)).await;
    let receipt = bed.turn(&ANN, Cause::Update(2), |_| {}).await;
    match bed.commit(&ANN, &plain(&early, Cause::Update(1))).await {
        Ok(Committed::Conflict(now)) => {
            assert_eq!(now.version, receipt.version);
            assert_eq!(now.body.as_deref(), Some(&b"body"[..]));
            assert!(now.due.is_some());
            bed.pass(&ANN, &plain(&now, Cause::Update(1))).await;
        }
        other => panic!("expected a conflict, got {other:?}"),
    }
}

pub(crate) async fn a_conflict_changes_nothing(bed: &Bed) {
    let early = bed.fresh(&ANN, Cause::Update(1)).await;
    bed.turn(&ANN, Cause::Update(2), |_| {}).await;
    let before = bed.peek(&ANN).await;
    let loser = Commit {
        messages: items(["a"]),
        jobs: items(["b"]),
        dead: Some("c".into()),
        next: Next { labels: vec!["other/label".into()], ..Next::default() },
        ..plain(&early, Cause::Update(1))
    };
    let refused = bed.commit(&ANN, &loser).await;
    assert!(matches!(refused, Ok(Committed::Conflict(_))), "{refused:?}");
    assert_eq!(bed.peek(&ANN).await, before);
    assert!(!bed.has_seen(&ANN, 1).await);
    assert_eq!(bed.counts().await, [("order/phone".into(), 1)]);
    assert_eq!(bed.dead_letters(9).await, Ok(vec![]));
    bed.advance(seconds(60));
    assert_eq!(bed.claim().await.1, []);
}

pub(crate) async fn a_version_is_never_used_twice(bed: &Bed) {
    let idle = |commit: &mut Commit| {
        commit.next.labels.clear();
        commit.next.idle = seconds(1);
    };
    let snapshot = bed.fresh(&ANN, Cause::Update(1)).await;
    let first = bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let second = bed.turn(&ANN, Cause::Update(2), idle).await;
    assert!(first.version >= snapshot.now);
    assert_eq!(second.version, first.version + 1);
    bed.advance(seconds(2));
    let early = plain(&bed.fresh(&ANN, Cause::Update(3)).await, Cause::Update(3));
    assert_eq!(early.expected, 0);
    let third = bed.turn(&ANN, Cause::Update(4), idle).await;
    assert!(third.version > second.version);
    let refused = bed.commit(&ANN, &early).await;
    assert!(matches!(refused, Ok(Committed::Conflict(_))), "{refused:?}");
}

pub(crate) async fn a_turn_that_took_too_long_is_refused(bed: &Bed) {
    let slow = plain(&bed.fresh(&ANN, Cause::Update(1)).await, Cause::Update(1));
    bed.advance(MAX_TURN_AGE - seconds(5));
    let quick = plain(&bed.fresh(&ANN, Cause::Update(2)).await, Cause::Update(2));
    bed.advance(seconds(6));
    assert_eq!(bed.commit(&ANN, &slow).await, Ok(Committed::TooOld));
    assert_eq!(bed.peek(&ANN).await, Ok(None));
    bed.pass(&ANN, &quick).await;
}

pub(crate) async fn the_same_turn_again_answers_the_same(bed: &Bed) {
    let commit = Commit {
        messages: items(["a"]),
        jobs: items(["b"]),
        dead: Some("letter".into()),
        ..plain(&bed.fresh(&ANN, Cause::Update(1)).await, Cause::Update(1))
    };
    let receipt = bed.pass(&ANN, &commit).await;
    assert!(receipt.messages_leased && receipt.jobs_leased);
    assert_eq!(bed.pass(&ANN, &commit).await, receipt);
    bed.advance(MAX_TURN_AGE + seconds(1));
    assert_eq!(bed.pass(&ANN, &commit).await, receipt);
    assert_eq!(bed.counts().await, [("order/phone".into(), 1)]);
    assert_eq!(bed.dead_letters(9).await.map(|all| all.len()), Ok(1));
    let (_, lanes) = bed.claim().await;
    assert_eq!(lanes.len(), 2);
    let late = bed.pass(&ANN, &commit).await;
    assert!(!late.messages_leased && !late.jobs_leased);
    assert_eq!(late.version, receipt.version);
}

pub(crate) async fn the_same_turn_again_after_another_knows_its_lanes(bed: &Bed) {
    let commit = Commit {
        messages: items(["a"]),
        ..plain(&bed.fresh(&ANN, Cause::Update(1)).await, Cause::Update(1))
    };
    bed.pass(&ANN, &commit).await;
    let between = bed
        .turn(&ANN, Cause::Update(2), |commit| {
            commit.messages = items(["b"]);
        })
        .await;
    assert!(!between.messages_leased);
    let again = bed.pass(&ANN, &commit).await;
    assert!(again.messages_leased && !again.jobs_leased);
    let next = bed.done(messages(5), commit.turn, "a").await;
    assert_eq!(next, Ok(crate::support::bed::next("b")));
    let next = bed.done(messages(5), commit.turn, "b").await;
    assert_eq!(next, Ok(steadfast::store::After::Empty));
}

/// A mark is the number of an update and a time: the end of one and the beginning of the other may look like another number.
pub(crate) async fn a_number_in_the_middle_of_a_mark_was_not_seen(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let now = bed.fresh(&ANN, Cause::Order).await.now;
    let second = u32::try_from(now / 1000).expect("a second").to_be_bytes();
    let number = u32::from_le_bytes([0, 0, second[0], second[1]]);
    let cause = Cause::Update(number);
    let snapshot = bed.fresh(&ANN, cause).await;
    bed.pass(&ANN, &plain(&snapshot, cause)).await;
}

pub(crate) async fn the_same_turn_again_after_another_is_a_duplicate(bed: &Bed) {
    let commit = plain(&bed.fresh(&ANN, Cause::Update(1)).await, Cause::Update(1));
    bed.pass(&ANN, &commit).await;
    bed.turn(&ANN, Cause::Update(2), |_| {}).await;
    assert_eq!(bed.commit(&ANN, &commit).await, Ok(Committed::Duplicate));
}

pub(crate) async fn a_timer_or_an_order_is_never_marked_as_seen(bed: &Bed) {
    for cause in [Cause::Timer(7), Cause::Order] {
        bed.turn(&ANN, cause, |_| {}).await;
        bed.turn(&ANN, cause, |_| {}).await;
    }
    assert!(!bed.has_seen(&ANN, 7).await);
    assert!(!bed.has_seen(&ANN, 0).await);
}

pub(crate) async fn an_idle_dialogue_is_forgotten(bed: &Bed) {
    let receipt = bed
        .turn(&ANN, Cause::Update(1), |commit| {
            commit.next.labels.clear();
            commit.next.idle = seconds(3600);
        })
        .await;
    bed.advance(seconds(3590));
    let snapshot = bed.fresh(&ANN, Cause::Order).await;
    assert_eq!(snapshot.version, receipt.version);
    assert_eq!(snapshot.body.as_deref(), Some(&b"body"[..]));
    assert!(bed.has_seen(&ANN, 1).await);
    bed.advance(seconds(20));
    assert_eq!(bed.peek(&ANN).await, Ok(None));
    let blank = bed.fresh(&ANN, Cause::Update(1)).await;
    assert_eq!((blank.version, blank.body, blank.tries), (0, None, 0));
}

pub(crate) async fn a_dialogue_in_use_is_never_forgotten(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |commit| {
        commit.next.labels.clear();
        commit.next.idle = seconds(60);
    })
    .await;
    let receipt = bed.turn(&ANN, Cause::Update(2), |_| {}).await;
    bed.advance(10 * SEEN_FOR);
    bed.timers(None).await;
    let snapshot = bed.fresh(&ANN, Cause::Update(3)).await;
    assert_eq!(snapshot.version, receipt.version);
}

pub(crate) async fn a_seen_update_is_remembered_for_two_days(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    bed.advance(SEEN_FOR - seconds(10));
    bed.turn(&ANN, Cause::Update(2), |_| {}).await;
    assert!(bed.has_seen(&ANN, 1).await);
    bed.advance(seconds(20));
    assert!(!bed.has_seen(&ANN, 1).await);
    assert!(bed.has_seen(&ANN, 2).await);
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    assert!(bed.has_seen(&ANN, 1).await);
}

pub(crate) async fn the_oldest_of_too_many_marks_makes_room(bed: &Bed) {
    fill_marks(bed).await;
    let receipt = bed.turn(&ANN, Cause::Update(u32::MAX), |_| {}).await;
    assert_eq!(receipt.crowded_out, 1);
    assert!(!bed.has_seen(&ANN, 1).await);
    assert!(bed.has_seen(&ANN, 2).await);
    assert!(bed.has_seen(&ANN, u32::MAX).await);
}

pub(crate) async fn an_old_mark_makes_room_uncounted(bed: &Bed) {
    fill_marks(bed).await;
    bed.advance(seconds(3700));
    let receipt = bed.turn(&ANN, Cause::Update(9999), |_| {}).await;
    assert_eq!(receipt.crowded_out, 0);
    assert!(!bed.has_seen(&ANN, 1).await);
}

/// As many updates as a dialogue remembers.
async fn fill_marks(bed: &Bed) {
    let mut commit = plain(&bed.fresh(&ANN, Cause::Order).await, Cause::Order);
    for update in 1..=SEEN_MAX as u32 {
        commit.turn = Token::fresh();
        commit.cause = Cause::Update(update);
        let receipt = bed.pass(&ANN, &commit).await;
        assert_eq!(receipt.crowded_out, 0);
        commit.expected = receipt.version;
    }
    assert!(bed.has_seen(&ANN, 1).await);
}

pub(crate) async fn keys_of_all_shapes_are_apart(bed: &Bed) {
    let ids = [i64::MIN, -1_001_234_567_890, -1, 0, 1, i64::MAX];
    let topics = [None, Some(0), Some(1), Some(i32::MAX), Some(i32::MIN)];
    let keys: Vec<DialogueKey> = ids
        .into_iter()
        .flat_map(|chat| ids.map(|user| (chat, user)))
        .zip(topics.into_iter().cycle())
        .map(|((chat, user), topic)| DialogueKey { chat, user, topic })
        .collect();
    for key in &keys {
        bed.turn(key, Cause::Update(u32::MAX), |commit| {
            commit.next.body = key.to_string().into();
        })
        .await;
    }
    for key in &keys {
        let person = bed.peek(key).await.expect("an answer").expect("somebody");
        assert_eq!((person.key, person.body), (*key, key.to_string().into()));
    }
    assert_eq!(bed.counts().await, [("order/phone".into(), 36)]);
    bed.advance(Duration::from_secs(3601));
    let mut due: Vec<DialogueKey> =
        bed.timers(None).await.into_iter().map(|(key, _)| key).collect();
    due.sort();
    assert_eq!(due, keys);
}

pub(crate) async fn the_sequence_grows_with_every_commit(bed: &Bed) {
    let first = bed.turn(&ANN, Cause::Update(1), |_| {}).await.sequence;
    let second = bed.turn(&key(5, 6), Cause::Update(2), |_| {}).await.sequence;
    assert_eq!((first, second), (1, 2));
}

pub(crate) async fn unfinished_jobs_of_the_home_are_pending(bed: &Bed) {
    let commit = Commit {
        jobs: items(["a", "b"]),
        messages: items(["c"]),
        ..plain(&bed.fresh(&ANN, Cause::Update(1)).await, Cause::Update(1))
    };
    bed.pass(&ANN, &commit).await;
    let neighbour = key(5, 6);
    assert_eq!(bed.fresh(&neighbour, Cause::Update(2)).await.pending, 2);
    bed.done(jobs(5), commit.turn, "a").await.expect("done");
    assert_eq!(bed.fresh(&ANN, Cause::Update(2)).await.pending, 1);
    bed.done(jobs(5), commit.turn, "b").await.expect("done");
    let loaded = bed.load(&ANN, Cause::Update(2), Token::fresh()).await;
    assert!(matches!(loaded, Ok(Loaded::Fresh(Snapshot { pending: 0, .. }))));
}
