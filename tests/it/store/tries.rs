//! Counting how often a cause was tried.

use steadfast::store::{
    CAUSES_MAX, Cause, Committed, DialogueKey, Loaded, NOTED_MAX, SEEN_FOR, Token,
};

use crate::support::bed::{Bed, plain, seconds};

const ANN: DialogueKey = DialogueKey { chat: 5, user: 5, topic: None };
const POISON: Cause = Cause::Update(66);

pub(crate) async fn a_try_is_noted_once_per_turn(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let (first, second) = (Token::fresh(), Token::fresh());
    assert_eq!(tries(bed, POISON, first).await, 1);
    assert_eq!(tries(bed, POISON, first).await, 1);
    assert_eq!(tries(bed, POISON, second).await, 2);
    assert_eq!(tries(bed, POISON, second).await, 2);
}

pub(crate) async fn causes_that_alternate_are_each_counted(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    for count in 1..=5 {
        for cause in [POISON, Cause::Timer(1 << 40), Cause::Order] {
            assert_eq!(tries(bed, cause, Token::fresh()).await, count);
        }
    }
}

pub(crate) async fn the_cause_noted_longest_ago_makes_room(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let causes = [70, 71, 72].map(Cause::Update);
    assert_eq!(causes.len(), CAUSES_MAX);
    for cause in causes {
        tries(bed, cause, Token::fresh()).await;
    }
    assert_eq!(tries(bed, causes[0], Token::fresh()).await, 2);
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 1);
    assert_eq!(tries(bed, causes[0], Token::fresh()).await, 3);
    assert_eq!(tries(bed, causes[2], Token::fresh()).await, 2);
    assert_eq!(tries(bed, causes[1], Token::fresh()).await, 1, "forgotten");
}

pub(crate) async fn a_commit_ends_the_tries_of_its_cause_alone(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let other = Cause::Update(67);
    let turns = [(); 2].map(|()| Token::fresh());
    for turn in turns {
        tries(bed, POISON, turn).await;
        tries(bed, other, Token::fresh()).await;
    }
    bed.turn(&ANN, Cause::Update(2), |_| {}).await;
    assert_eq!(tries(bed, POISON, turns[1]).await, 2, "known by its turn");
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 3);
    bed.turn(&ANN, POISON, |_| {}).await;
    assert!(bed.has_seen(&ANN, 66).await);
    assert_eq!(tries(bed, other, Token::fresh()).await, 3);
}

pub(crate) async fn a_conflict_tells_the_tries_of_its_cause(bed: &Bed) {
    let early = bed.fresh(&ANN, POISON).await;
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    tries(bed, POISON, Token::fresh()).await;
    tries(bed, Cause::Update(67), Token::fresh()).await;
    let refused = bed.commit(&ANN, &plain(&early, POISON)).await;
    let Ok(Committed::Conflict(now)) = refused else {
        panic!("expected a conflict, got {refused:?}");
    };
    assert_eq!(now.tries, 1);
}

pub(crate) async fn a_cause_taken_back_to_nothing_leaves_its_place(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 1);
    for id in 70..80 {
        let (cause, turn) = (Cause::Update(id), Token::fresh());
        assert_eq!(tries(bed, cause, turn).await, 1);
        assert_eq!(bed.blame(&ANN, cause, turn, false).await, Ok(0));
    }
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 2);
}

pub(crate) async fn a_commit_ends_the_tries(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    for _ in 0..2 {
        assert_eq!(bed.fresh(&ANN, Cause::Order).await.tries, 1);
        let snapshot = bed.fresh(&ANN, Cause::Order).await;
        assert_eq!(snapshot.tries, 2);
        bed.pass(&ANN, &plain(&snapshot, Cause::Order)).await;
    }
}

pub(crate) async fn a_try_does_not_keep_an_idle_dialogue(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |commit| {
        commit.next.labels.clear();
        commit.next.idle = seconds(60);
    })
    .await;
    bed.advance(seconds(50));
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 1);
    bed.advance(seconds(20));
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 0);
}

pub(crate) async fn blame_without_a_record_makes_one(bed: &Bed) {
    let turn = Token::fresh();
    assert_eq!(tries(bed, POISON, turn).await, 0);
    assert_eq!(bed.blame(&ANN, POISON, turn, true).await, Ok(1));
    let person = bed.peek(&ANN).await.expect("an answer").expect("a record");
    assert!(person.version > 0 && person.labels.is_empty() && person.due.is_none());
    assert_eq!(bed.counts().await, []);
    let snapshot = bed.fresh(&ANN, POISON).await;
    assert_eq!((snapshot.tries, snapshot.body), (2, None));
    bed.advance(SEEN_FOR + seconds(1));
    assert_eq!(bed.peek(&ANN).await, Ok(None));
}

pub(crate) async fn a_commit_expects_the_version_that_blame_made(bed: &Bed) {
    let early = bed.fresh(&ANN, POISON).await;
    bed.blame(&ANN, POISON, Token::fresh(), true).await.expect("blame");
    let refused = bed.commit(&ANN, &plain(&early, POISON)).await;
    let Ok(Committed::Conflict(now)) = refused else {
        panic!("expected a conflict, got {refused:?}");
    };
    assert_eq!((now.tries, now.body.clone()), (1, None));
    let receipt = bed.pass(&ANN, &plain(&now, POISON)).await;
    assert_eq!(receipt.version, now.version + 1);
}

pub(crate) async fn blame_is_noted_once_per_turn(bed: &Bed) {
    let (first, second) = (Token::fresh(), Token::fresh());
    for (turn, count) in [(first, 1), (first, 1), (second, 2), (second, 2)] {
        assert_eq!(bed.blame(&ANN, POISON, turn, true).await, Ok(count));
    }
    let loaded = Token::fresh();
    assert_eq!(tries(bed, POISON, loaded).await, 3);
    assert_eq!(bed.blame(&ANN, POISON, loaded, true).await, Ok(3));
}

pub(crate) async fn a_try_is_taken_back_once(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let (first, second) = (Token::fresh(), Token::fresh());
    tries(bed, POISON, first).await;
    assert_eq!(tries(bed, POISON, second).await, 2);
    assert_eq!(bed.blame(&ANN, POISON, second, false).await, Ok(1));
    assert_eq!(bed.blame(&ANN, POISON, second, false).await, Ok(1));
    assert_eq!(bed.blame(&ANN, Cause::Update(5), second, false).await, Ok(0));
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 2);
}

pub(crate) async fn tries_side_by_side_are_each_taken_back(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let turns = [(); NOTED_MAX].map(|()| Token::fresh());
    for (turn, count) in turns.iter().zip(1..) {
        assert_eq!(tries(bed, POISON, *turn).await, count);
    }
    assert_eq!(tries(bed, POISON, turns[0]).await, NOTED_MAX as u32);
    for (at, left) in [(1, 4), (0, 3), (0, 3), (3, 2), (4, 1), (2, 0), (2, 0)] {
        let pardoned = bed.blame(&ANN, POISON, turns[at], false).await;
        assert_eq!(pardoned, Ok(left));
    }
}

pub(crate) async fn the_oldest_of_too_many_tries_stays_on_record(bed: &Bed) {
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let turns = [(); NOTED_MAX + 1].map(|()| Token::fresh());
    for turn in turns {
        tries(bed, POISON, turn).await;
    }
    for turn in turns {
        bed.blame(&ANN, POISON, turn, false).await.expect("an answer");
    }
    assert_eq!(tries(bed, POISON, Token::fresh()).await, 2);
}

pub(crate) async fn nobody_to_pardon_is_fine(bed: &Bed) {
    let pardon = bed.blame(&ANN, POISON, Token::fresh(), false).await;
    assert_eq!(pardon, Ok(0));
    assert_eq!(bed.peek(&ANN).await, Ok(None));
}

async fn tries(bed: &Bed, cause: Cause, turn: Token) -> u32 {
    match bed.load(&ANN, cause, turn).await {
        Ok(Loaded::Fresh(snapshot)) => snapshot.tries,
        other => panic!("expected a snapshot, got {other:?}"),
    }
}
