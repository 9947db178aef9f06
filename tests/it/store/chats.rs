//! What is remembered of a chat: its messages by name, and whether messages reach it.

use steadfast::store::{
    After, Cause, Commit, Grant, LANE_LEASE, LaneKind, NAMED_FOR, Note, Pushed, Receipt, Refused,
    Token,
};

use crate::support::bed::{
    Bed, LEASED, aside, bulk, item, items, jobs, key, messages, next, plain, seconds,
};

const CHAT: i64 = 5;

pub(crate) async fn a_named_message_is_found(bed: &Bed) {
    assert_eq!(bed.named(CHAT, "tasks").await, Ok(None));
    note(bed, "a", "tasks", 1).await;
    note(bed, "b", "tasks", i64::MAX).await;
    note(bed, "c", "other tasks", -3).await;
    assert_eq!(bed.named(CHAT, "tasks").await, Ok(Some(i64::MAX)));
    assert_eq!(bed.named(CHAT, "other tasks").await, Ok(Some(-3)));
    assert_eq!(bed.named(6, "tasks").await, Ok(None));
}

pub(crate) async fn a_name_lasts_two_days_after_its_last_note(bed: &Bed) {
    note(bed, "a", "tasks", 1).await;
    bed.advance(NAMED_FOR - seconds(60));
    note(bed, "b", "tasks", 2).await;
    bed.advance(NAMED_FOR - seconds(60));
    bed.claim().await;
    assert_eq!(bed.named(CHAT, "tasks").await, Ok(Some(2)));
    bed.advance(seconds(60));
    assert_eq!(bed.named(CHAT, "tasks").await, Ok(None));
}

pub(crate) async fn a_note_outlives_a_lost_answer(bed: &Bed) {
    let (token, noted) = (Token::fresh(), named("tasks", 1));
    bed.push(messages(CHAT), token, &item("a")).await.expect("pushed");
    bed.done(messages(CHAT), token, "a").await.expect("done");
    let again = bed.store.done(messages(CHAT), token, "a", Some(&noted));
    assert_eq!(again.await, Ok(After::Empty));
    assert_eq!(bed.named(CHAT, "tasks").await, Ok(Some(1)));
}

pub(crate) async fn a_stale_holder_notes_nothing(bed: &Bed) {
    let (late, noted) = (Token::fresh(), named("tasks", 1));
    bed.push(messages(CHAT), late, &item("a")).await.expect("pushed");
    bed.advance(LANE_LEASE);
    bed.claim().await;
    let stale = bed.store.done(messages(CHAT), late, "a", Some(&noted));
    assert_eq!(stale.await, Ok(After::Stale));
    assert_eq!(bed.named(CHAT, "tasks").await, Ok(None));
}

/// Whoever sent it first slept, and another sent it again.
pub(crate) async fn a_note_that_comes_late_leaves_the_name_to_a_newer_message(bed: &Bed) {
    let (late, lane) = (Token::fresh(), messages(CHAT));
    bed.push(lane, late, &item("a")).await.expect("pushed");
    bed.advance(LANE_LEASE);
    let (token, _) = bed.claim().await;
    let note = async |token, message| {
        let note = named("tasks", message);
        let after = bed.store.done(lane, token, "a", Some(&note)).await;
        assert_eq!(after, Ok(After::Empty));
        bed.named(CHAT, "tasks").await
    };
    assert_eq!(note(token, 11).await, Ok(Some(11)));
    assert_eq!(note(late, 10).await, Ok(Some(11)));
    assert_eq!(note(late, 12).await, Ok(Some(12)));
    bed.advance(NAMED_FOR);
    assert_eq!(note(late, 10).await, Ok(Some(10)), "the newer is forgotten");
}

/// Whose the lane is decides, not whether the effect is still in it; and an empty lane is nobody's.
pub(crate) async fn a_note_is_kept_unless_the_lane_is_anothers(bed: &Bed) {
    let (late, lane) = (Token::fresh(), messages(CHAT));
    let noted = async |id: &str, message| {
        let note = named("tasks", message);
        let after = bed.store.done(lane, late, id, Some(&note)).await;
        (after, bed.named(CHAT, "tasks").await)
    };
    for id in ["a", "b"] {
        bed.push(lane, late, &item(id)).await.expect("pushed");
    }
    bed.done(lane, late, "a").await.expect("done");
    let (after, kept) = noted("a", 1).await;
    assert!(matches!(after, Ok(After::Next(_))), "{after:?}");
    assert_eq!(kept, Ok(Some(1)), "another effect is the next one");

    bed.advance(LANE_LEASE);
    let (token, _) = bed.claim().await;
    assert_eq!(noted("b", 2).await, (Ok(After::Stale), Ok(Some(1))));
    bed.done(lane, token, "b").await.expect("done");
    assert_eq!(noted("b", 3).await, (Ok(After::Empty), Ok(Some(3))));
}

pub(crate) async fn a_blocked_chat_is_pushed_nothing(bed: &Bed) {
    let token = Token::fresh();
    let pushed = bed.push(messages(CHAT), token, &item("a")).await;
    assert_eq!(pushed, Ok(LEASED));
    bed.block(CHAT).await.expect("blocked");
    let again = bed.push(messages(CHAT), token, &item("a")).await;
    assert_eq!(again, Ok(LEASED), "that was before");
    let pushed = bed.push(messages(CHAT), token, &item("b")).await;
    assert_eq!(pushed, Ok(Pushed::Blocked));
    assert_eq!(bed.push(jobs(CHAT), token, &item("b")).await, Ok(LEASED));
    assert_eq!(bed.push(aside(CHAT), token, &item("b")).await, Ok(LEASED));
    assert_eq!(bed.push(messages(6), token, &item("b")).await, Ok(LEASED));
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(After::Empty), "nothing was kept");
    turn(bed, Cause::Update(1)).await;
    let pushed = bed.push(messages(CHAT), token, &item("b")).await;
    assert_eq!(pushed, Ok(Pushed::Queued), "nor was it taken for handed over");
}

pub(crate) async fn a_blocked_home_gets_no_messages_but_its_jobs(bed: &Bed) {
    bed.block(CHAT).await.expect("blocked");
    for cause in [Cause::Order, Cause::Timer(1 << 41)] {
        let receipt = turn(bed, cause).await;
        assert_eq!((receipt.dropped, receipt.messages_leased), (2, false));
    }
    let snapshot = bed.fresh(&key(CHAT, 1), Cause::Order).await;
    assert_eq!(snapshot.pending, 2);
    let plain = plain(&snapshot, Cause::Order);
    assert_eq!(bed.pass(&key(CHAT, 1), &plain).await.dropped, 0);
}

pub(crate) async fn the_same_turn_again_dropped_as_many(bed: &Bed) {
    bed.block(CHAT).await.expect("blocked");
    let snapshot = bed.fresh(&key(CHAT, 1), Cause::Order).await;
    let commit = Commit { messages: items(["a", "b", "c"]), ..plain(&snapshot, Cause::Order) };
    for _ in 0..3 {
        assert_eq!(bed.pass(&key(CHAT, 1), &commit).await.dropped, 3);
    }
}

pub(crate) async fn an_update_ends_a_block(bed: &Bed) {
    bed.block(CHAT).await.expect("blocked");
    bed.block(CHAT).await.expect("blocked");
    bed.block(6).await.expect("blocked");
    let receipt = turn(bed, Cause::Update(1)).await;
    assert_eq!((receipt.dropped, receipt.messages_leased), (0, true));
    assert_eq!(turn(bed, Cause::Order).await.dropped, 0);
    let pushed = bed.push(messages(6), Token::fresh(), &item("a")).await;
    assert_eq!(pushed, Ok(Pushed::Blocked), "nobody has heard of that one");
}

pub(crate) async fn without_limits_all_is_granted(bed: &Bed) {
    for _ in 0..3 {
        let grant = bed.grant(LaneKind::Messages, 1000).await;
        let all = Grant { granted: 1000, is_open: true, ..Grant::default() };
        assert_eq!(grant, Ok(all));
    }
    bed.freeze(seconds(60)).await.expect("frozen");
    let frozen = bed.grant(LaneKind::Messages, 1).await.expect("an answer");
    assert_eq!((frozen.granted, frozen.is_open), (0, false));
}

pub(crate) async fn without_limits_a_hold_puts_off_messages_and_broadcasts(bed: &Bed) {
    let waits = async |lane, id: &str| match bed.push(lane, Token::fresh(), &item(id)).await {
        Ok(Pushed::Leased { wait }) => wait.as_millis().div_ceil(1000),
        other => panic!("{lane} is free: {other:?}"),
    };
    bed.hold(CHAT, seconds(60)).await.expect("held");
    bed.hold(CHAT, seconds(20)).await.expect("held");
    // Some of it may have passed on a busy machine.
    assert!((30..=60).contains(&waits(messages(CHAT), "a").await));
    assert!((30..=60).contains(&waits(bulk(CHAT), "b").await));
    assert_eq!(waits(jobs(CHAT), "c").await, 0);
    assert_eq!(waits(messages(6), "a").await, 0);
    bed.hold(-CHAT, seconds(60)).await.expect("held");
    bed.advance(seconds(60));
    assert_eq!(waits(bulk(-CHAT), "b").await, 0, "it is over");
    let (token, _) = bed.claim().await;
    bed.push(messages(CHAT), token, &item("d")).await.expect("pushed");
    let after = bed.done(messages(CHAT), token, "a").await;
    assert_eq!(after, Ok(next("d")), "and nothing waits any more");
}

pub(crate) async fn a_block_can_be_asked_for(bed: &Bed) {
    assert_eq!(bed.blocked(CHAT).await, Ok(false));
    bed.block(CHAT).await.expect("blocked");
    assert_eq!(bed.blocked(CHAT).await, Ok(true));
    assert_eq!(bed.blocked(6).await, Ok(false));
    turn(bed, Cause::Update(1)).await;
    assert_eq!(bed.blocked(CHAT).await, Ok(false));
}

/// The refusal is older than what the person wrote, so it shows nothing. What they wrote before, or what was to be answered, does not
/// count.
pub(crate) async fn who_wrote_since_a_refusal_is_not_blocked(bed: &Bed) {
    let home = key(CHAT, CHAT);
    let refused = |ago, update| {
        let ago = seconds(ago);
        bed.store.block(CHAT, Some(Refused { ago, update }))
    };
    bed.turn(&home, Cause::Update(1), |_| {}).await;
    assert_eq!(refused(5, Some(1)).await, Ok(true));
    assert_eq!(bed.blocked(CHAT).await, Ok(true));
    bed.turn(&home, Cause::Update(2), |_| {}).await;
    bed.turn(&home, Cause::Order, |_| {}).await;
    for update in [None, Some(1)] {
        assert_eq!(refused(60, update).await, Ok(false));
        assert_eq!(bed.blocked(CHAT).await, Ok(false));
    }
    bed.advance(seconds(100));
    assert_eq!(refused(60, Some(1)).await, Ok(true));
    assert_eq!(bed.blocked(CHAT).await, Ok(true));
}

/// Commits two messages and a job.
async fn turn(bed: &Bed, cause: Cause) -> Receipt {
    let change = |commit: &mut Commit| {
        commit.messages = items(["x", "y"]);
        commit.jobs = items(["z"]);
    };
    bed.turn(&key(CHAT, 1), cause, change).await
}

/// Sends a message with a name.
async fn note(bed: &Bed, id: &str, name: &str, message: i64) {
    let token = Token::fresh();
    bed.push(messages(CHAT), token, &item(id)).await.expect("pushed");
    let note = named(name, message);
    let after = bed.store.done(messages(CHAT), token, id, Some(&note));
    assert_eq!(after.await, Ok(After::Empty));
}

fn named(name: &str, message: i64) -> Note {
    let name = name.to_owned();
    Note { name, message }
}
