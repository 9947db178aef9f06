//! How fast messages go. A Redis has a clock that moves by itself, so waits are compared to the second, rounded up.

use std::time::Duration;

use steadfast::store::{
    After, Cause, Head, LANE_LEASE, Lane, LaneKind, Limits, Pace, Pushed, REPLIES_FIRST, Token,
};

use crate::support::bed::{Bed, bulk, item, items, jobs, key, messages, seconds};

const PERSON: i64 = 5;
const GROUP: i64 = -5;

/// Slow enough for a test on a busy machine.
pub(crate) const LIMITS: Limits =
    Limits { bot: Some(every(10, 3)), chat: Some(every(10, 2)), group: Some(every(30, 3)) };

pub(crate) async fn a_burst_goes_at_once_and_then_the_pace(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b", "c", "d"], 0).await;
    for (id, wait) in [("a", 0), ("b", 10), ("c", 20)] {
        assert_eq!(done(bed, messages(PERSON), token, id).await, Some(wait));
    }
    bed.advance(seconds(15));
    assert_eq!(done(bed, messages(PERSON), token, "c").await, Some(5));
}

pub(crate) async fn a_head_is_reserved_once(bed: &Bed) {
    let commit = send(bed, PERSON, ["a", "b", "c"], 0).await;
    for _ in 0..3 {
        assert_eq!(done(bed, messages(PERSON), commit, "a").await, Some(0));
    }
    assert_eq!(done(bed, messages(PERSON), commit, "b").await, Some(10));
    let pushed = Token::fresh();
    for _ in 0..3 {
        assert_eq!(push(bed, messages(6), pushed, "a").await, Some(0));
    }
    assert_eq!(push(bed, bulk(6), pushed, "b").await, Some(0));
}

/// It had its time, and waited elsewhere for as long as it took: all that follows is as if it had been reserved when it went.
pub(crate) async fn a_head_that_went_late_counts_from_then_on(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b", "c", "d"], 0).await;
    bed.advance(seconds(6));
    for (id, wait) in [("a", 0), ("b", 10), ("c", 20)] {
        assert_eq!(done(bed, messages(PERSON), token, id).await, Some(wait));
    }
    let token = send(bed, GROUP, ["a", "b", "c", "d", "e"], 0).await;
    bed.advance(seconds(4));
    for (id, wait) in [("a", 0), ("b", 10), ("c", 30), ("d", 60)] {
        assert_eq!(done(bed, messages(GROUP), token, id).await, Some(wait));
    }
}

/// So late that nothing was known of its time any more.
pub(crate) async fn a_head_that_went_long_after_its_time_counts_all_the_same(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b", "c", "d"], 0).await;
    bed.advance(seconds(60));
    for (id, wait) in [("a", 0), ("b", 10), ("c", 20)] {
        assert_eq!(done(bed, messages(PERSON), token, id).await, Some(wait));
    }
    let token = Token::fresh();
    assert_eq!(push(bed, messages(6), token, "a~2").await, Some(0));
    bed.advance(seconds(60));
    assert_eq!(done(bed, messages(6), token, "a~2").await, None);
    assert_eq!(push(bed, messages(6), token, "b").await, Some(10));
}

/// Both lanes of a chat had a head that waited: two have gone at once.
pub(crate) async fn what_goes_late_by_both_lanes_counts_twice(bed: &Bed) {
    for (chat, late) in [(PERSON, 15), (6, 60)] {
        let token = Token::fresh();
        for lane in [messages(chat), bulk(chat)] {
            assert_eq!(push(bed, lane, token, "a").await, Some(0));
        }
        bed.advance(seconds(late));
        for lane in [messages(chat), bulk(chat)] {
            assert_eq!(done(bed, lane, token, "a").await, None);
        }
        assert_eq!(push(bed, messages(chat), token, "b").await, Some(10));
    }
}

pub(crate) async fn a_head_given_back_keeps_its_place(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b", "c", "d"], 0).await;
    done(bed, messages(PERSON), token, "a").await;
    assert_eq!(done(bed, messages(PERSON), token, "b").await, Some(10));
    let retried = bed.retry(messages(PERSON), token, seconds(8)).await;
    assert_eq!(retried, Ok(true));
    bed.advance(seconds(8));
    let (token, wait) = claim(bed).await;
    assert_eq!(wait, [2], "what is left of it");
    bed.retry(messages(PERSON), token, seconds(2)).await.expect("given back");
    bed.advance(seconds(2));
    let (token, wait) = claim(bed).await;
    assert_eq!(wait, [0], "its time has come");
    assert_eq!(done(bed, messages(PERSON), token, "c").await, Some(10));
}

pub(crate) async fn a_lapsed_lease_keeps_the_place_of_its_head(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b", "c"], 0).await;
    done(bed, messages(PERSON), token, "a").await;
    done(bed, messages(PERSON), token, "b").await;
    bed.advance(LANE_LEASE);
    assert_eq!(claim(bed).await.1, [5]);
}

pub(crate) async fn groups_obey_the_longer_wait(bed: &Bed) {
    let token = send(bed, GROUP, ["a", "b", "c", "d", "e"], 0).await;
    for (id, wait) in [("a", 0), ("b", 10), ("c", 30), ("d", 60)] {
        assert_eq!(done(bed, messages(GROUP), token, id).await, Some(wait));
    }
}

pub(crate) async fn messages_and_broadcasts_share_the_pace(bed: &Bed) {
    send(bed, PERSON, ["a"], 0).await;
    let token = Token::fresh();
    assert_eq!(push(bed, bulk(PERSON), token, "b").await, Some(0));
    let other = Token::fresh();
    assert_eq!(push(bed, bulk(PERSON), other, "c").await, None);
    assert_eq!(done(bed, bulk(PERSON), token, "b").await, Some(10));
    assert_eq!(push(bed, messages(6), token, "a").await, Some(0));
}

pub(crate) async fn jobs_never_wait(bed: &Bed) {
    let token = Token::fresh();
    for id in ["a", "b", "c", "d"] {
        bed.push(jobs(PERSON), token, &item(id)).await.expect("pushed");
    }
    for id in ["a", "b", "c"] {
        assert_eq!(done(bed, jobs(PERSON), token, id).await, Some(0));
    }
    send(bed, PERSON, ["a"], 0).await;
}

pub(crate) async fn a_pace_is_forgotten_after_a_rest(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b"], 0).await;
    done(bed, messages(PERSON), token, "a").await;
    done(bed, messages(PERSON), token, "b").await;
    bed.advance(seconds(10));
    let token = send(bed, PERSON, ["c", "d"], 0).await;
    assert_eq!(done(bed, messages(PERSON), token, "c").await, Some(10));
    bed.advance(seconds(60));
    bed.claim().await;
    bed.advance(seconds(60));
    let (token, waits) = claim(bed).await;
    assert_eq!(waits, [0]);
    bed.store.push(messages(PERSON), token, &item("e")).await.expect("pushed");
    assert_eq!(done(bed, messages(PERSON), token, "d").await, Some(0));
}

pub(crate) async fn sendings_are_granted_up_to_the_burst(bed: &Bed) {
    let grant = bed.grant(LaneKind::Messages, 2).await.expect("a grant");
    assert_eq!((grant.granted, grant.wait), (2, Duration::ZERO));
    let grant = bed.grant(LaneKind::Messages, 2).await.expect("a grant");
    assert_eq!((grant.granted, grant.wait), (1, Duration::ZERO));
    let grant = bed.grant(LaneKind::Messages, 2).await.expect("a grant");
    assert_eq!((grant.granted, rounded(grant.wait)), (0, 10));
    bed.advance(seconds(10));
    assert_eq!(bed.grant(LaneKind::Messages, 2).await.map(|grant| grant.granted), Ok(1));
    bed.advance(seconds(100));
    assert_eq!(bed.grant(LaneKind::Messages, 9).await.map(|grant| grant.granted), Ok(3));
}

pub(crate) async fn a_freeze_stops_all_grants(bed: &Bed) {
    bed.freeze(seconds(60)).await.expect("frozen");
    bed.freeze(seconds(20)).await.expect("frozen");
    let grant = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!((grant.granted, rounded(grant.wait)), (0, 60));
    assert!(grant.is_frozen);
    bed.advance(seconds(50));
    let grant = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!((grant.granted, rounded(grant.wait)), (0, 10));
    bed.advance(seconds(10));
    let grant = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!((grant.granted, grant.is_frozen), (1, false));
}

/// One that was set ahead by mistake, and then right again.
pub(crate) async fn a_clock_that_is_set_back_holds_up_no_sending(bed: &Bed) {
    bed.advance(seconds(3600));
    let three = bed.grant(LaneKind::Messages, 4).await.expect("a grant");
    assert_eq!(three.granted, 3);
    bed.retreat(seconds(3600));
    let none = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert!(none.wait <= seconds(11), "{none:?}");
    bed.advance(seconds(11));
    let one = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!(one.granted, 1);
}

/// A reply waited for a sending when it was ahead.
pub(crate) async fn a_clock_that_is_set_back_holds_up_no_broadcast(bed: &Bed) {
    bed.advance(seconds(3600));
    let three = bed.grant(LaneKind::Messages, 4).await.expect("a grant");
    assert_eq!(three.granted, 3);
    bed.retreat(seconds(3600));
    let none = bed.grant(LaneKind::Bulk, 1).await.expect("a grant");
    assert!(none.granted == 0 && none.wait <= seconds(11), "{none:?}");
    bed.advance(seconds(11));
    let one = bed.grant(LaneKind::Bulk, 1).await.expect("a grant");
    assert_eq!(one.granted, 1);
}

pub(crate) async fn a_clock_that_is_set_back_makes_no_freeze_longer(bed: &Bed) {
    bed.advance(seconds(3600));
    bed.freeze(seconds(60)).await.expect("frozen");
    bed.retreat(seconds(3600));
    let grant = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!((grant.granted, rounded(grant.wait)), (0, 60));
    bed.advance(seconds(50));
    let grant = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!((grant.granted, rounded(grant.wait)), (0, 10), "it goes on");
    bed.advance(seconds(10));
    let grant = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
    assert_eq!(grant.granted, 1);
}

pub(crate) async fn a_clock_that_is_set_back_holds_up_no_chat(bed: &Bed) {
    bed.advance(seconds(3600));
    let token = send(bed, PERSON, ["a", "b", "c", "d"], 0).await;
    done(bed, messages(PERSON), token, "a").await;
    assert_eq!(done(bed, messages(PERSON), token, "b").await, Some(10));
    bed.retreat(seconds(3600));
    assert_eq!(done(bed, messages(PERSON), token, "b").await, Some(10));
    bed.advance(seconds(8));
    let wait = done(bed, messages(PERSON), token, "b").await;
    assert_eq!(wait, Some(2), "it goes on");
    bed.retreat(seconds(3600));
    assert_eq!(done(bed, messages(PERSON), token, "c").await, Some(20));
}

pub(crate) async fn a_clock_that_is_set_back_makes_no_hold_longer(bed: &Bed) {
    bed.advance(seconds(3600));
    bed.hold(PERSON, seconds(60)).await.expect("held");
    bed.retreat(seconds(3600));
    send(bed, PERSON, ["a"], 60).await;
}

/// Two may go at once, so that is what it waits for; it takes as many as it is.
pub(crate) async fn what_counts_as_several_waits_for_as_many(bed: &Bed) {
    let token = send(bed, PERSON, ["a", "b~2", "c"], 0).await;
    assert_eq!(done(bed, messages(PERSON), token, "a").await, Some(10));
    assert_eq!(done(bed, messages(PERSON), token, "b~2").await, Some(20));
    let token = send(bed, 6, ["a~5", "b"], 0).await;
    assert_eq!(done(bed, messages(6), token, "a~5").await, Some(40));
}

/// What is free belongs to the reply that waited for it. That lasts for a moment only, so on a clock that moves by itself it may be over
/// before it is asked for: often enough it is not.
pub(crate) async fn replies_go_before_broadcasts(bed: &Bed) {
    let mut stepped_aside = 0;
    for _ in 0..20 {
        bed.advance(seconds(100));
        let three = bed.grant(LaneKind::Bulk, 3).await.expect("a grant");
        assert_eq!(three.granted, 3, "nobody waits");
        let none = bed.grant(LaneKind::Messages, 1).await.expect("a grant");
        assert_eq!((none.granted, rounded(none.wait)), (0, 10));
        bed.advance(seconds(10));
        let bulk = bed.grant(LaneKind::Bulk, 1).await.expect("a grant");
        if bulk.granted == 0 {
            stepped_aside += 1;
            assert!(bulk.wait <= REPLIES_FIRST, "{:?}", bulk.wait);
            let reply = bed.grant(LaneKind::Messages, 1).await;
            assert_eq!(reply.map(|grant| grant.granted), Ok(1));
        }
    }
    assert!(stepped_aside > 0, "broadcasts take what replies wait for");
}

pub(crate) async fn a_hold_puts_off_messages_and_broadcasts(bed: &Bed) {
    bed.hold(PERSON, seconds(60)).await.expect("held");
    bed.hold(PERSON, seconds(20)).await.expect("held");
    send(bed, PERSON, ["a"], 60).await;
    let token = Token::fresh();
    assert_eq!(push(bed, bulk(PERSON), token, "b").await, Some(70));
    assert_eq!(push(bed, messages(6), token, "a").await, Some(0));
    assert_eq!(push(bed, bulk(GROUP), token, "a").await, Some(0));
    bed.hold(GROUP, seconds(100)).await.expect("held");
    send(bed, GROUP, ["b"], 100).await;
}

pub(crate) async fn a_hold_puts_off_a_head_that_had_its_time(bed: &Bed) {
    let token = Token::fresh();
    assert_eq!(push(bed, bulk(PERSON), token, "a").await, Some(0));
    bed.hold(PERSON, seconds(60)).await.expect("held");
    let retried = bed.retry(bulk(PERSON), token, seconds(0)).await;
    assert!(retried == Ok(true) || !bed.is_calm, "{retried:?}");
    assert_eq!(claim(bed).await.1, [60]);
}

/// Commits messages to an idle chat, whose first is to wait so long.
async fn send<const N: usize>(bed: &Bed, chat: i64, ids: [&str; N], wait: u64) -> Token {
    let mut turn = Token::fresh();
    let home = key(chat, 1);
    let receipt = bed.turn(&home, Cause::Order, |commit| {
        turn = commit.turn;
        commit.messages = items(ids);
    });
    let receipt = receipt.await;
    assert!(receipt.messages_leased);
    assert_eq!(rounded(receipt.messages_wait), wait);
    turn
}

/// Takes an effect off, and answers how long the next is to wait.
async fn done(bed: &Bed, lane: Lane, token: Token, id: &str) -> Option<u64> {
    match bed.done(lane, token, id).await.expect("an answer") {
        After::Next(Head { wait, .. }) => Some(rounded(wait)),
        After::Empty => None,
        After::Stale => panic!("{lane} is {token}'s"),
    }
}

/// Hands an effect over, and answers how long it is to wait, where it leases the lane.
async fn push(bed: &Bed, lane: Lane, token: Token, id: &str) -> Option<u64> {
    match bed.push(lane, token, &item(id)).await.expect("an answer") {
        Pushed::Leased { wait } => Some(rounded(wait)),
        Pushed::Queued => None,
        Pushed::Blocked => panic!("{lane} is not blocked"),
    }
}

/// Claims, and answers how long each head is to wait.
async fn claim(bed: &Bed) -> (Token, Vec<u64>) {
    let token = Token::fresh();
    let due = bed.due(token, 100, None).await.expect("what is due");
    let waits = due.lanes.iter().map(|(_, head)| rounded(head.wait));
    (token, waits.collect())
}

/// In seconds, rounded up.
fn rounded(wait: Duration) -> u64 {
    wait.as_millis().div_ceil(1000) as u64
}

const fn every(time: u64, burst: u32) -> Pace {
    let every = seconds(time);
    Pace { every, burst }
}
