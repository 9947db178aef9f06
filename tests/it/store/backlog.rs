//! How much there is still to do.

use std::time::Duration;

use steadfast::store::{Backlog, Cause, DEAD_MAX, LANE_LEASE, LaneKind, Token, partition};

use crate::support::bed::{Bed, aside, bulk, item, jobs, key, messages, seconds};

pub(crate) async fn an_empty_store_has_no_backlog(bed: &Bed) {
    assert_eq!(bed.backlog().await, Ok(Backlog::default()));
    let token = push(bed, 5, "a").await;
    bed.done(messages(5), token, "a").await.expect("done");
    assert_eq!(bed.backlog().await, Ok(Backlog::default()));
}

pub(crate) async fn lanes_with_work_are_counted_with_the_oldest(bed: &Bed) {
    let token = push(bed, 5, "a").await;
    bed.advance(seconds(10));
    push(bed, 5, "b").await;
    push(bed, 6, "c").await;
    bed.push(jobs(6), token, &item("d")).await.expect("pushed");
    bed.advance(seconds(10));
    assert_eq!(backlog(bed).await, (3, Some(20)));
    bed.done(messages(5), token, "a").await.expect("done");
    assert_eq!(backlog(bed).await, (3, Some(20)), "it was never empty");
    bed.done(messages(5), token, "b").await.expect("done");
    assert_eq!(backlog(bed).await, (2, Some(10)));
    push(bed, 5, "e").await;
    assert_eq!(backlog(bed).await, (3, Some(10)), "it begins anew");
}

pub(crate) async fn lanes_of_broadcasts_are_counted_apart(bed: &Bed) {
    let token = push(bed, 5, "a").await;
    bed.push(jobs(5), token, &item("a")).await.expect("pushed");
    for chat in [5, -6] {
        let lane = bulk(chat);
        bed.push(lane, token, &item("a")).await.expect("pushed");
    }
    push(bed, 5, "b").await;
    let backlog = bed.backlog().await.expect("an answer");
    assert_eq!((backlog.lanes, backlog.bulk, backlog.effects), (4, 2, 5));
}

/// A broadcast may take hours: that is no reply that is late.
pub(crate) async fn the_oldest_lane_is_told_of_each_kind(bed: &Bed) {
    let token = Token::fresh();
    for lane in [bulk(5), aside(5), jobs(5), messages(5), bulk(6), messages(7)] {
        bed.push(lane, token, &item("a")).await.expect("pushed");
        bed.advance(seconds(10));
    }
    bed.done(messages(5), token, "a").await.expect("done");
    let backlog = bed.backlog().await.expect("an answer");
    let ages = LaneKind::ALL.map(|kind| backlog.oldest(kind).map(|age| age.as_secs()));
    assert_eq!(ages, [Some(10), Some(40), Some(60), Some(50)]);
}

pub(crate) async fn the_age_of_a_lane_outlives_its_holders(bed: &Bed) {
    push(bed, 5, "a").await;
    bed.advance(LANE_LEASE);
    let (token, _) = bed.claim().await;
    bed.renew(&[(messages(5), token)]).await.expect("renewed");
    bed.retry(messages(5), token, seconds(5)).await.expect("given back");
    bed.advance(seconds(5));
    assert_eq!(backlog(bed).await, (1, Some(10)));
    bed.claim().await;
    assert_eq!(backlog(bed).await, (1, Some(10)));
}

pub(crate) async fn letters_are_counted_and_removed(bed: &Bed) {
    let token = push(bed, 5, "a").await;
    bed.bury(messages(5), token, "a", "letter a".into()).await.expect("buried");
    for letter in ["b", "c", "c"] {
        bed.entomb(letter.into()).await.expect("kept");
    }
    assert_eq!(bed.backlog().await.map(|all| all.dead), Ok(4));
    for (letter, left) in [("c", 2), ("letter a", 1)] {
        let removed = bed.remove_letter(letter.as_bytes()).await;
        // Who asks again after a lost answer finds it gone.
        assert!(removed == Ok(true) || !bed.is_calm, "{removed:?}");
        assert_eq!(bed.backlog().await.map(|all| all.dead), Ok(left));
        assert_eq!(bed.remove_letter(letter.as_bytes()).await, Ok(false));
    }
    assert_eq!(bed.remove_letter(b"").await, Ok(false));
    assert_eq!(bed.dead_letters(9).await, Ok(vec!["b".into()]));
}

/// However they come: by themselves, with a commit, or in the place of an effect.
pub(crate) async fn letters_that_make_room_are_counted(bed: &Bed) {
    let stray = (1..).find(|chat| partition(*chat) == 0);
    let stray = stray.expect("a chat of the partition of the strays");
    for number in 0..DEAD_MAX {
        let letter = number.to_string().into();
        bed.entomb(letter).await.expect("kept");
    }
    assert_eq!(bed.backlog().await.map(|all| all.dropped), Ok(0));
    bed.entomb("one more".into()).await.expect("kept");
    bed.turn(&key(stray, 1), Cause::Update(1), |commit| {
        commit.dead = Some("another".into());
    })
    .await;
    let token = push(bed, stray, "a").await;
    bed.bury(messages(stray), token, "a", "the last".into()).await.expect("buried");
    let backlog = bed.backlog().await.expect("an answer");
    assert_eq!((backlog.dead, backlog.dropped), (DEAD_MAX as u64, 3));
    bed.remove_letter(b"the last").await.expect("removed");
    assert_eq!(bed.backlog().await.map(|all| all.dropped), Ok(3));
}

/// Hands an effect over to a chat, and answers the token.
async fn push(bed: &Bed, chat: i64, id: &str) -> Token {
    let token = Token::fresh();
    bed.push(messages(chat), token, &item(id)).await.expect("pushed");
    token
}

/// How many lanes have work, and for how many seconds.
async fn backlog(bed: &Bed) -> (u64, Option<u64>) {
    let backlog = bed.backlog().await.expect("an answer");
    let oldest = backlog.oldest.into_iter().max().flatten();
    (backlog.lanes, oldest.as_ref().map(Duration::as_secs))
}
