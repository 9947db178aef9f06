//! Lanes: effects in order, one holder at a time.

use steadfast::store::{After, Cause, Commit, LANE_LEASE, Lane, LaneKind, Pushed, SEEN_FOR, Token};

use crate::support::bed::{
    Bed, LEASED, bulk, item, items, jobs, key, messages, next, plain, seconds,
};

const CHAT: i64 = -1_001_234_567_890;

pub(crate) async fn an_idle_lane_is_leased_to_the_committer(bed: &Bed) {
    let commit = Commit {
        messages: items(["a"]),
        ..plain(&bed.fresh(&key(CHAT, 1), Cause::Update(1)).await, Cause::Update(1))
    };
    let receipt = bed.pass(&key(CHAT, 1), &commit).await;
    assert!(receipt.messages_leased && !receipt.jobs_leased);
    assert_eq!(bed.claim().await.1, [], "nobody else may have it");
    let after = bed.done(messages(CHAT), commit.turn, "a").await;
    assert_eq!(after, Ok(After::Empty));
    let receipt = bed
        .turn(&key(CHAT, 2), Cause::Update(2), |commit| {
            commit.messages = items(["b"]);
        })
        .await;
    assert!(receipt.messages_leased, "an empty lane is idle again");
}

pub(crate) async fn a_busy_lane_keeps_its_holder(bed: &Bed) {
    let first = send(bed, 1, ["a"]).await;
    let receipt = bed
        .turn(&key(CHAT, 2), Cause::Update(2), |commit| {
            commit.messages = items(["b"]);
        })
        .await;
    assert!(!receipt.messages_leased);
    let after = bed.done(messages(CHAT), first, "a").await;
    assert_eq!(after, Ok(next("b")));
}

pub(crate) async fn a_lane_is_worked_in_order(bed: &Bed) {
    let token = send(bed, 1, ["1", "2", "3"]).await;
    send(bed, 2, ["4"]).await;
    for (id, then) in [("1", "2"), ("2", "3"), ("3", "4")] {
        let after = bed.done(messages(CHAT), token, id).await;
        assert_eq!(after, Ok(next(then)));
    }
    let after = bed.done(messages(CHAT), token, "4").await;
    assert_eq!(after, Ok(After::Empty));
}

pub(crate) async fn done_again_answers_the_next_one(bed: &Bed) {
    let token = send(bed, 1, ["a", "b", "c"]).await;
    for _ in 0..3 {
        let after = bed.done(messages(CHAT), token, "a").await;
        assert_eq!(after, Ok(next("b")));
    }
}

pub(crate) async fn the_last_done_again_is_empty(bed: &Bed) {
    let token = send(bed, 1, ["a"]).await;
    for _ in 0..2 {
        let after = bed.done(messages(CHAT), token, "a").await;
        assert_eq!(after, Ok(After::Empty));
    }
}

pub(crate) async fn a_lane_of_another_is_stale(bed: &Bed) {
    let late = send(bed, 1, ["a", "b"]).await;
    bed.advance(LANE_LEASE);
    let (token, _) = bed.claim().await;
    let after = bed.done(messages(CHAT), late, "a").await;
    assert_eq!(after, Ok(After::Stale));
    let after = bed.bury(messages(CHAT), late, "a", "x".into()).await;
    assert_eq!(after, Ok(After::Stale));
    assert_eq!(bed.dead_letters(9).await, Ok(vec![]));
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(next("b")));
}

pub(crate) async fn an_expired_lease_is_claimed_once(bed: &Bed) {
    send(bed, 1, ["a"]).await;
    bed.advance(LANE_LEASE - seconds(1));
    assert_eq!(bed.claim().await.1, []);
    bed.advance(seconds(1));
    assert_eq!(bed.claim().await.1, [(messages(CHAT), item("a"))]);
    assert_eq!(bed.claim().await.1, []);
    bed.advance(LANE_LEASE);
    assert_eq!(bed.claim().await.1, [(messages(CHAT), item("a"))]);
}

/// Who holds one is gone, or slow; the other waited as it was to.
pub(crate) async fn a_lane_whose_lease_ran_out_is_told_from_one_whose_delay_is_over(bed: &Bed) {
    send(bed, 1, ["a"]).await;
    bed.advance(LANE_LEASE);
    let token = Token::fresh();
    let due = bed.due(token, 100, None).await.expect("what is due");
    assert_eq!(due.lapsed, [messages(CHAT)]);
    bed.retry(messages(CHAT), token, seconds(8)).await.expect("given back");
    bed.advance(seconds(8));
    let due = bed.due(Token::fresh(), 100, None).await;
    let due = due.expect("what is due");
    assert_eq!((due.lanes.len(), due.lapsed), (1, vec![]));
}

/// It was ahead when a lane was leased to one that is gone by now, and when another was given back.
pub(crate) async fn a_clock_that_is_set_back_holds_up_no_lane(bed: &Bed) {
    bed.claim().await;
    bed.advance(seconds(3600));
    send(bed, 1, ["a"]).await;
    let token = Token::fresh();
    bed.push(bulk(CHAT), token, &item("b")).await.expect("pushed");
    bed.retry(bulk(CHAT), token, seconds(60)).await.expect("given back");
    bed.claim().await;
    bed.retreat(seconds(3600));
    assert_eq!(bed.claim().await.1, [], "not yet");
    bed.advance(LANE_LEASE);
    assert_eq!(bed.claim().await.1, [(messages(CHAT), item("a"))]);
    bed.advance(seconds(60));
    let found = bed.claim().await.1;
    assert!(found.contains(&(bulk(CHAT), item("b"))), "{found:?}");
}

/// A build that counts nothing has handed it over, and another hands it over again.
pub(crate) async fn an_effect_is_the_same_however_it_counts(bed: &Bed) {
    let token = Token::fresh();
    for item in [item("a"), item("a").counting(3), item("a").counting(4)] {
        bed.push(messages(CHAT), token, &item).await.expect("pushed");
    }
    let waiting = bed.waiting(CHAT, 9).await.expect("what waits");
    assert_eq!(waiting, [(LaneKind::Messages, vec![item("a")])]);
}

pub(crate) async fn an_expired_lease_is_still_its_holders_until_claimed(bed: &Bed) {
    let token = send(bed, 1, ["a", "b"]).await;
    bed.advance(LANE_LEASE * 2);
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(next("b")));
    assert_eq!(bed.renew(&[(messages(CHAT), token)]).await, Ok(vec![]));
    assert_eq!(bed.claim().await.1, []);
}

pub(crate) async fn a_retried_lane_waits(bed: &Bed) {
    let token = send(bed, 1, ["a"]).await;
    let retried = bed.retry(messages(CHAT), token, seconds(60)).await;
    assert_eq!(retried, Ok(true));
    assert_eq!(bed.done(messages(CHAT), token, "a").await, Ok(After::Stale));
    assert!(!send_leased(bed, 2, ["b"]).await, "it waits with the lane");
    bed.advance(seconds(59));
    assert_eq!(bed.claim().await.1, []);
    bed.advance(seconds(1));
    assert_eq!(bed.claim().await.1, [(messages(CHAT), item("a"))]);
}

pub(crate) async fn a_lane_of_another_is_not_retried(bed: &Bed) {
    let late = send(bed, 1, ["a"]).await;
    bed.advance(LANE_LEASE);
    let (token, _) = bed.claim().await;
    let retried = bed.retry(messages(CHAT), late, seconds(60)).await;
    // Who asks again after a lost answer cannot tell "no longer yours" from "you gave it up".
    assert!(retried == Ok(false) || !bed.is_calm, "{retried:?}");
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(After::Empty), "the lane was not touched");
}

pub(crate) async fn a_renewed_lease_lasts(bed: &Bed) {
    let token = send(bed, 1, ["a"]).await;
    for _ in 0..3 {
        bed.advance(LANE_LEASE - seconds(1));
        assert_eq!(bed.renew(&[(messages(CHAT), token)]).await, Ok(vec![]));
        assert_eq!(bed.claim().await.1, []);
    }
}

pub(crate) async fn a_lost_lease_is_told(bed: &Bed) {
    let late = send(bed, 1, ["a"]).await;
    let held = (messages(7), Token::fresh());
    bed.push(held.0, held.1, &item("b")).await.expect("pushed");
    bed.advance(LANE_LEASE - seconds(1));
    assert_eq!(bed.renew(&[held]).await, Ok(vec![]));
    bed.advance(seconds(1));
    bed.claim().await;
    let empty = (jobs(8), Token::fresh());
    let lost = bed.renew(&[(messages(CHAT), late), held, empty]).await;
    assert_eq!(lost, Ok(vec![messages(CHAT), jobs(8)]));
    assert_eq!(bed.renew(&[]).await, Ok(vec![]));
}

pub(crate) async fn a_push_happens_once(bed: &Bed) {
    let lane = messages(CHAT);
    let token = Token::fresh();
    assert_eq!(bed.push(lane, token, &item("a")).await, Ok(LEASED));
    assert_eq!(bed.push(lane, token, &item("a")).await, Ok(LEASED));
    let other = Token::fresh();
    assert_eq!(bed.push(lane, other, &item("a")).await, Ok(Pushed::Queued));
    assert_eq!(bed.done(lane, token, "a").await, Ok(After::Empty));
    assert_eq!(bed.push(lane, token, &item("a")).await, Ok(Pushed::Queued));
    bed.advance(SEEN_FOR - seconds(60));
    assert_eq!(bed.claim().await.1, []);
    assert_eq!(bed.push(lane, other, &item("a")).await, Ok(Pushed::Queued));
    assert_eq!(bed.push(messages(6), other, &item("a")).await, Ok(LEASED));
}

pub(crate) async fn a_push_is_forgotten_after_two_days(bed: &Bed) {
    let (lane, token) = (messages(CHAT), Token::fresh());
    assert_eq!(bed.push(lane, token, &item("a")).await, Ok(LEASED));
    assert_eq!(bed.done(lane, token, "a").await, Ok(After::Empty));
    bed.advance(SEEN_FOR + seconds(1));
    assert_eq!(bed.push(lane, token, &item("a")).await, Ok(LEASED));
}

pub(crate) async fn a_push_to_a_busy_lane_waits(bed: &Bed) {
    let token = send(bed, 1, ["a"]).await;
    let other = Token::fresh();
    let leased = bed.push(messages(CHAT), other, &item("b")).await;
    assert_eq!(leased, Ok(Pushed::Queued));
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(next("b")));
}

pub(crate) async fn lanes_of_a_chat_are_apart(bed: &Bed) {
    let token = Token::fresh();
    for kind in [LaneKind::Messages, LaneKind::Jobs, LaneKind::Bulk] {
        for chat in [CHAT, i64::MIN, i64::MAX] {
            let lane = Lane { kind, chat };
            let leased = bed.push(lane, token, &item(lane)).await;
            assert_eq!(leased, Ok(LEASED), "{lane}");
        }
    }
    bed.advance(LANE_LEASE);
    let (token, lanes) = bed.claim().await;
    assert_eq!(lanes.len(), 9);
    for (lane, head) in lanes {
        assert_eq!(head, item(lane));
        assert_eq!(bed.done(lane, token, &head.id).await, Ok(After::Empty));
    }
}

pub(crate) async fn a_buried_effect_leaves_a_letter(bed: &Bed) {
    let token = send(bed, 1, ["a", "b"]).await;
    let after = bed.bury(messages(CHAT), token, "a", "letter a".into()).await;
    assert_eq!(after, Ok(next("b")));
    let after = bed.bury(messages(CHAT), token, "b", "letter b".into()).await;
    assert_eq!(after, Ok(After::Empty));
    let letters = bed.dead_letters(9).await.expect("letters");
    assert_eq!(letters, ["letter b", "letter a"]);
}

pub(crate) async fn a_letter_is_buried_once(bed: &Bed) {
    let token = send(bed, 1, ["a", "b"]).await;
    for _ in 0..3 {
        let after = bed.bury(messages(CHAT), token, "a", "letter".into()).await;
        assert_eq!(after, Ok(next("b")));
    }
    assert_eq!(bed.dead_letters(9).await.map(|all| all.len()), Ok(1));
}

/// A repeated `due` does not find what a lost one claimed; nothing is lost but the time of a lease.
pub(crate) async fn a_claim_nobody_heard_of_comes_back(bed: &Bed) {
    send(bed, 1, ["a"]).await;
    bed.advance(LANE_LEASE);
    let token = Token::fresh();
    bed.due(token, 100, None).await.expect("due");
    let again = bed.due(token, 100, None).await.expect("due");
    assert_eq!(again.lanes, []);
    bed.advance(LANE_LEASE);
    let again = bed.due(token, 100, None).await.expect("due");
    assert_eq!(again.lanes[0].1.item, item("a"));
}

pub(crate) async fn what_waits_is_seen_in_order_and_left_alone(bed: &Bed) {
    assert_eq!(bed.waiting(CHAT, 9).await, Ok(Vec::new()));
    let token = send(bed, 1, ["a", "b", "c"]).await;
    bed.push(jobs(CHAT), token, &item("d")).await.expect("pushed");
    for _ in 0..2 {
        let (lines, jobs) = (items(["a", "b"]), items(["d"]));
        let all = vec![(LaneKind::Messages, lines), (LaneKind::Jobs, jobs)];
        assert_eq!(bed.waiting(CHAT, 2).await, Ok(all));
    }
    assert_eq!(bed.waiting(CHAT + 1, 9).await, Ok(Vec::new()));
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(next("b")), "it is still its holder's");
    let left = bed.waiting(CHAT, 9).await.expect("an answer");
    assert_eq!(left[0], (LaneKind::Messages, items(["b", "c"])));
}

pub(crate) async fn what_waits_to_be_sent_can_be_dropped(bed: &Bed) {
    let (bulk, other) = (LaneKind::Bulk, messages(CHAT + 1));
    let bulk = Lane { kind: bulk, chat: CHAT };
    let token = send(bed, 1, ["a", "b"]).await;
    for lane in [bulk, jobs(CHAT), other] {
        bed.push(lane, token, &item("c")).await.expect("pushed");
    }
    let dropped = bed.drop_messages(CHAT).await;
    // Who asks again after a lost answer finds nothing left.
    assert!(dropped == Ok(3) || !bed.is_calm, "{dropped:?}");
    assert_eq!(bed.drop_messages(CHAT).await, Ok(0));
    let left = vec![(LaneKind::Jobs, items(["c"]))];
    assert_eq!(bed.waiting(CHAT, 9).await, Ok(left));
    let backlog = bed.backlog().await.expect("a backlog");
    assert_eq!(backlog.lanes, 2, "{backlog:?}");
    bed.advance(LANE_LEASE);
    let (_, mut lanes) = bed.claim().await;
    lanes.sort_by_key(|(lane, _)| lane.chat);
    let expected = [(jobs(CHAT), item("c")), (other, item("c"))];
    assert_eq!(lanes, expected);
}

pub(crate) async fn who_held_a_dropped_lane_does_no_harm(bed: &Bed) {
    let late = send(bed, 1, ["a", "b"]).await;
    bed.drop_messages(CHAT).await.expect("dropped");
    assert_eq!(bed.done(messages(CHAT), late, "a").await, Ok(After::Empty));
    let after = bed.bury(messages(CHAT), late, "a", "x".into()).await;
    assert_eq!(after, Ok(After::Empty));
    assert_eq!(bed.dead_letters(9).await, Ok(vec![]));
    let lost = bed.renew(&[(messages(CHAT), late)]).await;
    assert_eq!(lost, Ok(vec![messages(CHAT)]));
    let token = send(bed, 2, ["c", "d"]).await;
    assert_eq!(bed.done(messages(CHAT), late, "c").await, Ok(After::Stale));
    let after = bed.done(messages(CHAT), token, "c").await;
    assert_eq!(after, Ok(next("d")), "the lane is the next holder's");
}

/// Commits messages to the chat, and answers the turn's token.
async fn send<const N: usize>(bed: &Bed, user: i64, ids: [&str; N]) -> Token {
    let cause = Cause::Update(user as u32);
    let commit =
        Commit { messages: items(ids), ..plain(&bed.fresh(&key(CHAT, user), cause).await, cause) };
    bed.pass(&key(CHAT, user), &commit).await;
    commit.turn
}

/// Commits messages to the chat, and answers whether the lane came with it.
async fn send_leased<const N: usize>(bed: &Bed, user: i64, ids: [&str; N]) -> bool {
    let cause = Cause::Update(user as u32);
    let change = |commit: &mut Commit| commit.messages = items(ids);
    let receipt = bed.turn(&key(CHAT, user), cause, change).await;
    receipt.messages_leased
}
