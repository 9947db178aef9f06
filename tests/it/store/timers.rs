//! Timers of dialogues.

use std::collections::BTreeSet;

use steadfast::store::{Cause, DialogueKey, Millis, Token};

use crate::support::bed::{Bed, key, seconds};

pub(crate) async fn timers_come_when_due_and_earliest_first(bed: &Bed) {
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    let dues = [(1, 30_000), (2, 10_000), (3, 20_000), (4, 900_000)];
    for (user, delay) in dues {
        due_at(bed, &key(5, user), now + delay).await;
    }
    assert_eq!(bed.timers(None).await, []);
    bed.advance(seconds(25));
    let early = [(key(5, 2), now + 10_000), (key(5, 3), now + 20_000)];
    assert_eq!(bed.timers(None).await, early);
    assert_eq!(bed.timers(None).await, early, "a timer stays until moved");
    bed.advance(seconds(10));
    let last = bed.timers(None).await.pop();
    assert_eq!(last, Some((key(5, 1), now + 30_000)));
}

pub(crate) async fn a_sweep_is_bounded_per_partition(bed: &Bed) {
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for user in 0..5 {
        due_at(bed, &key(5, user), now + 1000 - user as Millis).await;
        bed.turn(&key(user, user), Cause::Order, |commit| {
            commit.jobs = vec![crate::support::bed::item(user)];
        })
        .await;
    }
    bed.advance(seconds(10));
    let due = bed.due(Token::fresh(), 2, None).await.expect("due");
    let found: Vec<DialogueKey> = due.timers.into_iter().map(|(key, _)| key).collect();
    assert_eq!(found, [key(5, 4), key(5, 3)]);
    assert_eq!(due.lanes.len(), 5, "these are in partitions of their own");
}

pub(crate) async fn timers_on_hold_are_left_alone(bed: &Bed) {
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for (user, delay) in [(1, 1000), (2, 2000), (3, 3000)] {
        due_at(bed, &key(5, user), now + delay).await;
    }
    bed.advance(seconds(60));
    let after = bed.timers(Some(now + 2000)).await;
    assert_eq!(after, [(key(5, 3), now + 3000)]);
    assert_eq!(bed.timers(Some(now + 3000)).await, []);
    assert_eq!(bed.timers(Some(now + 600_000)).await, []);
    assert_eq!(bed.timers(None).await.len(), 3);
}

pub(crate) async fn a_moved_timer_is_due_once(bed: &Bed) {
    let ann = key(5, 5);
    let now = bed.fresh(&ann, Cause::Order).await.now;
    due_at(bed, &ann, now + 1000).await;
    due_at(bed, &ann, now + 20_000).await;
    bed.advance(seconds(10));
    assert_eq!(bed.timers(None).await, []);
    bed.advance(seconds(15));
    assert_eq!(bed.timers(None).await, [(ann, now + 20_000)]);
}

/// They may stand where they were before: a sweep takes more of them at once than it answers.
pub(crate) async fn timers_that_were_put_off_hide_none_that_is_due(bed: &Bed) {
    const LIMIT: usize = 2;
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for user in 1..=9 {
        due_at(bed, &key(5, user), now + 1000).await;
        due_at(bed, &key(5, user), now + 100_000 + user as Millis).await;
    }
    due_at(bed, &key(5, 10), now + 2000).await;
    bed.advance(seconds(10));
    let found = |hold| async move {
        let due = bed.due(Token::fresh(), LIMIT, hold).await;
        due.expect("what is due").timers
    };
    assert_eq!(found(None).await, [(key(5, 10), now + 2000)]);
    bed.advance(seconds(100));
    let next = [1, 2].map(|user| (key(5, user), now + 100_000 + user as Millis));
    assert_eq!(found(Some(now + 3000)).await, next);
}

/// One that was put off beyond an outage is not among those that fell into it, wherever it stands.
pub(crate) async fn a_timer_put_off_beyond_a_hold_is_not_held(bed: &Bed) {
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for user in 1..=9 {
        due_at(bed, &key(5, user), now + 1000).await;
    }
    due_at(bed, &key(5, 9), now + 6000).await;
    bed.advance(seconds(10));
    let due = bed.due(Token::fresh(), 2, Some(now + 5000)).await;
    assert_eq!(due.expect("what is due").timers, [(key(5, 9), now + 6000)]);
}

pub(crate) async fn an_idle_dialogue_has_no_timer(bed: &Bed) {
    let ann = key(5, 5);
    bed.turn(&ann, Cause::Update(1), |_| {}).await;
    bed.turn(&ann, Cause::Update(2), |commit| commit.next.labels.clear()).await;
    assert_eq!(bed.fresh(&ann, Cause::Update(3)).await.due, None);
    bed.advance(seconds(7200));
    assert_eq!(bed.timers(None).await, []);
}

/// A store may leave the timer of a dialogue that is over where it was; the next dialogue has its own time all the same.
pub(crate) async fn a_dialogue_begun_anew_is_due_when_it_says(bed: &Bed) {
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for (user, due) in [(1, now + 20_000), (2, now + 60_000)] {
        due_by(bed, &key(5, user), Cause::Update(1), now + 40_000).await;
        ends(bed, &key(5, user)).await;
        due_by(bed, &key(5, user), Cause::Update(3), due).await;
    }
    bed.advance(seconds(30));
    assert_eq!(bed.timers(None).await, [(key(5, 1), now + 20_000)]);
    bed.advance(seconds(15));
    assert_eq!(bed.timers(None).await.len(), 1, "the other is not due yet");
    bed.advance(seconds(20));
    let both = [(key(5, 1), now + 20_000), (key(5, 2), now + 60_000)];
    assert_eq!(bed.timers(None).await, both);
}

pub(crate) async fn dialogues_that_are_over_hide_no_timer_that_is_due(bed: &Bed) {
    const LIMIT: usize = 2;
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for user in 1..=9 {
        due_by(bed, &key(5, user), Cause::Update(1), now + 1000).await;
        ends(bed, &key(5, user)).await;
    }
    due_at(bed, &key(5, 10), now + 2000).await;
    bed.advance(seconds(10));
    for hold in [Some(now + 1500), None] {
        let due = bed.due(Token::fresh(), LIMIT, hold).await;
        let due = due.expect("what is due").timers;
        assert_eq!(due, [(key(5, 10), now + 2000)], "held up to {hold:?}");
    }
}

/// However many there are to put right first.
pub(crate) async fn what_is_due_does_not_wait_for_what_is_over(bed: &Bed) {
    const LIMIT: usize = 2;
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    due_at(bed, &key(5, 1), now + 1000).await;
    for user in 2..=100 {
        due_by(bed, &key(5, user), Cause::Update(1), now + 1500).await;
        ends(bed, &key(5, user)).await;
    }
    bed.advance(seconds(10));
    let due = bed.due(Token::fresh(), LIMIT, None).await;
    let due = due.expect("what is due").timers;
    assert_eq!(due, [(key(5, 1), now + 1000)]);
}

/// One that is put right may come to stand among those that are found, and none of these is told twice.
pub(crate) async fn timers_that_move_among_others_double_none(bed: &Bed) {
    let now = bed.fresh(&key(5, 1), Cause::Order).await.now;
    for (user, due) in [(1, 1000), (2, 2000), (3, 4000), (4, 5000)] {
        due_at(bed, &key(5, user), now + due).await;
    }
    due_at(bed, &key(5, 1), now + 3000).await;
    bed.advance(seconds(10));
    for limit in 1..=5 {
        let due = bed.due(Token::fresh(), limit, None).await;
        let due = due.expect("what is due").timers;
        let users: BTreeSet<i64> = due.iter().map(|(key, _)| key.user).collect();
        assert_eq!((users.len(), due.len()), (limit.min(4), limit.min(4)));
    }
}

async fn ends(bed: &Bed, key: &DialogueKey) {
    bed.turn(key, Cause::Update(2), |commit| commit.next.labels.clear()).await;
}

async fn due_by(bed: &Bed, key: &DialogueKey, cause: Cause, due: Millis) {
    bed.turn(key, cause, |commit| commit.next.due = Some(due)).await;
}

async fn due_at(bed: &Bed, key: &DialogueKey, due: Millis) {
    due_by(bed, key, Cause::Order, due).await;
}
