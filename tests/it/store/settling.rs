//! Commits that are the answer to jobs, and take them off.

use steadfast::store::{After, Cause, Commit, Committed, DialogueKey, LANE_LEASE, Settle, Token};

use crate::support::bed::{Bed, item, items, jobs, key, next, plain, seconds};

const CHAT: i64 = 5;
const ANN: DialogueKey = DialogueKey { chat: CHAT, user: 5, topic: None };

pub(crate) async fn settled_jobs_are_taken_off(bed: &Bed) {
    let token = work(bed, &["a", "b"]).await;
    let commit = settling(bed, token, ["a", "b"]).await;
    let receipt = bed.pass(&ANN, &commit).await;
    assert!(!receipt.jobs_leased);
    assert_eq!(bed.fresh(&ANN, Cause::Order).await.pending, 0);
    assert_eq!(bed.done(jobs(CHAT), token, "c").await, Ok(After::Empty));
    bed.advance(LANE_LEASE);
    assert_eq!(bed.claim().await.1, [], "the lane is given up");
}

pub(crate) async fn what_is_left_stays_with_its_holder(bed: &Bed) {
    let token = work(bed, &["a", "b", "c"]).await;
    let commit = settling(bed, token, ["a"]).await;
    bed.pass(&ANN, &commit).await;
    assert_eq!(bed.renew(&[(jobs(CHAT), token)]).await, Ok(vec![]));
    assert_eq!(bed.done(jobs(CHAT), token, "a").await, Ok(next("b")));
    assert_eq!(bed.done(jobs(CHAT), token, "b").await, Ok(next("c")));
}

pub(crate) async fn new_jobs_follow_what_is_left(bed: &Bed) {
    let token = work(bed, &["a", "b"]).await;
    let mut commit = settling(bed, token, ["a"]).await;
    commit.jobs = items(["c"]);
    assert!(!bed.pass(&ANN, &commit).await.jobs_leased);
    assert_eq!(bed.done(jobs(CHAT), token, "b").await, Ok(next("c")));
}

pub(crate) async fn a_settled_lane_is_leased_anew(bed: &Bed) {
    let token = work(bed, &["a"]).await;
    let mut commit = settling(bed, token, ["a"]).await;
    commit.jobs = items(["b"]);
    assert!(bed.pass(&ANN, &commit).await.jobs_leased);
    assert_eq!(bed.done(jobs(CHAT), token, "b").await, Ok(After::Stale));
    let after = bed.done(jobs(CHAT), commit.turn, "b").await;
    assert_eq!(after, Ok(After::Empty));
}

pub(crate) async fn only_the_head_is_settled(bed: &Bed) {
    let token = work(bed, &["a", "b"]).await;
    for ids in [&["b"][..], &["b", "a"], &["a", "b", "c"], &["a", "a"]] {
        let mut commit = settling(bed, token, []).await;
        let ids = ids.iter().map(|&id| id.to_owned()).collect();
        commit.settles = Some(Settle { token, ids });
        assert_eq!(bed.commit(&ANN, &commit).await, Ok(Committed::Stale));
    }
    assert_eq!(bed.peek(&ANN).await, Ok(None), "nothing was written");
    assert_eq!(bed.done(jobs(CHAT), token, "a").await, Ok(next("b")));
}

pub(crate) async fn only_the_holder_settles(bed: &Bed) {
    let late = work(bed, &["a", "b"]).await;
    bed.advance(LANE_LEASE + seconds(1));
    let (token, _) = bed.claim().await;
    let mut commit = settling(bed, late, ["a"]).await;
    commit.messages = items(["m"]);
    commit.dead = Some("letter".into());
    assert_eq!(bed.commit(&ANN, &commit).await, Ok(Committed::Stale));
    assert_eq!(bed.dead_letters(9).await, Ok(vec![]));
    assert_eq!(bed.done(jobs(CHAT), token, "a").await, Ok(next("b")));
    let nobodys = settling(bed, Token::fresh(), ["b"]).await;
    assert_eq!(bed.commit(&key(9, 9), &nobodys).await, Ok(Committed::Stale));
}

pub(crate) async fn the_same_turn_settles_once(bed: &Bed) {
    let token = work(bed, &["a", "a", "b"]).await;
    let commit = settling(bed, token, ["a"]).await;
    let first = bed.pass(&ANN, &commit).await;
    for _ in 0..3 {
        assert_eq!(bed.pass(&ANN, &commit).await, first);
    }
    assert_eq!(bed.fresh(&ANN, Cause::Order).await.pending, 2);
    let late = settling(bed, token, ["a"]).await;
    bed.pass(&ANN, &late).await;
    assert_eq!(bed.done(jobs(CHAT), token, "b").await, Ok(After::Empty));
}

/// Puts jobs into the lane, and answers its holder.
async fn work(bed: &Bed, ids: &[&str]) -> Token {
    let mut turn = Token::fresh();
    let home = key(CHAT, 1);
    let receipt = bed.turn(&home, Cause::Order, |commit| {
        turn = commit.turn;
        commit.jobs = ids.iter().map(item).collect();
    });
    assert!(receipt.await.jobs_leased);
    turn
}

/// A commit that settles these.
async fn settling<const N: usize>(bed: &Bed, token: Token, ids: [&str; N]) -> Commit {
    let ids = ids.map(str::to_owned).into();
    Commit {
        settles: Some(Settle { token, ids }),
        ..plain(&bed.fresh(&ANN, Cause::Order).await, Cause::Order)
    }
}
