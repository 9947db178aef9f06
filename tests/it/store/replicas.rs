//! What replicas share: leases, signs of life, dead letters.

use bytes::Bytes;
use steadfast::store::{BEAT_FOR, Cause, DEAD_MAX, OUTAGE_GAP, OUTAGE_GRACE, Pulse, Token};

use crate::support::bed::{Bed, key, seconds};
use crate::support::patience::all_at_once;

pub(crate) async fn a_lease_has_one_holder(bed: &Bed) {
    let (ann, ben) = (Token::fresh(), Token::fresh());
    let fence = bed.lease("poller", ann, seconds(10)).await.expect("an answer");
    assert!(fence.is_some());
    assert_eq!(bed.lease("poller", ben, seconds(10)).await, Ok(None));
    bed.advance(seconds(8));
    assert_eq!(bed.lease("poller", ann, seconds(10)).await, Ok(fence));
    bed.advance(seconds(8));
    assert_eq!(bed.lease("poller", ben, seconds(10)).await, Ok(None));
    let other = bed.lease("webhook", ben, seconds(10)).await;
    assert!(matches!(other, Ok(Some(_))), "{other:?}");
}

pub(crate) async fn a_fence_grows_with_every_holder(bed: &Bed) {
    let mut last = 0;
    for _ in 0..3 {
        let holder = Token::fresh();
        let fence = bed.lease("poller", holder, seconds(10)).await;
        let fence = fence.expect("an answer").expect("the lease");
        assert!(fence > last);
        last = fence;
        bed.release("poller", holder).await.expect("released");
        bed.release("poller", holder).await.expect("released again");
    }
}

pub(crate) async fn a_lease_that_ran_out_is_taken(bed: &Bed) {
    let (ann, ben) = (Token::fresh(), Token::fresh());
    let first = bed.lease("poller", ann, seconds(10)).await.expect("ok");
    bed.advance(seconds(11));
    let second = bed.lease("poller", ben, seconds(10)).await.expect("ok");
    assert!(second > first && first.is_some(), "{first:?} {second:?}");
    assert_eq!(bed.lease("poller", ann, seconds(10)).await, Ok(None));
}

pub(crate) async fn a_lease_of_another_is_not_released(bed: &Bed) {
    let (ann, ben) = (Token::fresh(), Token::fresh());
    let fence = bed.lease("poller", ann, seconds(10)).await;
    bed.release("poller", ben).await.expect("fine");
    bed.release("unknown", ben).await.expect("fine");
    assert_eq!(bed.lease("poller", ben, seconds(10)).await, Ok(None));
    assert_eq!(bed.lease("poller", ann, seconds(10)).await, fence);
}

/// Its holder is gone, and was when the clock was still ahead.
pub(crate) async fn a_clock_that_is_set_back_makes_no_lease_longer(bed: &Bed) {
    let (ann, ben) = (Token::fresh(), Token::fresh());
    bed.advance(seconds(3600));
    bed.lease("poller", ann, seconds(10)).await.expect("ok");
    bed.retreat(seconds(3600));
    assert_eq!(bed.lease("poller", ben, seconds(10)).await, Ok(None));
    bed.advance(seconds(11));
    let taken = bed.lease("poller", ben, seconds(10)).await;
    assert!(matches!(taken, Ok(Some(_))), "{taken:?}");
}

pub(crate) async fn a_value_is_kept_under_its_name(bed: &Bed) {
    assert_eq!(bed.kept("a").await, Ok(None));
    assert_eq!(bed.keep("a", None, b"one\n\xff").await, Ok(true));
    assert_eq!(bed.keep("b", None, b"two").await, Ok(true));
    bed.advance(seconds(1_000_000_000));
    bed.claim().await;
    assert_eq!(bed.kept("a").await, Ok(Some(Bytes::from_static(b"one\n\xff"))));
    assert_eq!(bed.kept("b").await, Ok(Some("two".into())));
}

pub(crate) async fn a_value_is_kept_over_the_expected_one_only(bed: &Bed) {
    assert_eq!(bed.keep("a", Some(b"one"), b"two").await, Ok(false));
    assert_eq!(bed.keep("a", None, b"one").await, Ok(true));
    assert_eq!(bed.keep("a", None, b"one").await, Ok(true), "it is so already");
    assert_eq!(bed.keep("a", None, b"two").await, Ok(false));
    assert_eq!(bed.keep("a", Some(b"other"), b"two").await, Ok(false));
    assert_eq!(bed.kept("a").await, Ok(Some("one".into())));
    assert_eq!(bed.keep("a", Some(b"one"), b"two").await, Ok(true));
    assert_eq!(bed.kept("a").await, Ok(Some("two".into())));
}

pub(crate) async fn of_racing_values_one_is_kept(bed: &Bed) {
    let values: Vec<String> = (0..8).map(|number| number.to_string()).collect();
    let keeping = values.iter().map(|value| bed.keep("a", None, value.as_bytes()));
    let kept = all_at_once(keeping).await;
    assert_eq!(kept.iter().filter(|kept| **kept == Ok(true)).count(), 1, "{kept:?}");
}

pub(crate) async fn replicas_hear_of_each_other(bed: &Bed) {
    beat(bed, "a", "schema 1").await;
    beat(bed, "b", "schema 1").await;
    let pulse = beat(bed, "a", "schema 2").await;
    assert_eq!(names(&pulse), [("a", "schema 2"), ("b", "schema 1")]);
    let pulse = bed.beat("a", None).await.expect("a pulse");
    assert_eq!(names(&pulse), [("b", "schema 1")]);
}

pub(crate) async fn a_silent_replica_is_gone(bed: &Bed) {
    beat(bed, "a", "1").await;
    bed.advance(BEAT_FOR - seconds(8));
    let pulse = beat(bed, "b", "2").await;
    assert_eq!(names(&pulse), [("a", "1"), ("b", "2")]);
    bed.advance(seconds(8));
    let pulse = beat(bed, "b", "2").await;
    assert_eq!(names(&pulse), [("b", "2")]);
}

pub(crate) async fn a_silence_of_all_is_an_outage(bed: &Bed) {
    assert_eq!(beat(bed, "a", "").await.hold, None);
    bed.advance(OUTAGE_GAP + seconds(1));
    let end = beat(bed, "b", "").await;
    // A beat whose answer was lost ended it a little earlier.
    let hold = end.hold.expect("an outage");
    assert!(hold <= end.now && hold + 1000 > end.now);
    let mut left = OUTAGE_GRACE - seconds(3);
    while left > seconds(5) {
        bed.advance(seconds(5));
        left -= seconds(5);
        assert_eq!(beat(bed, "a", "").await.hold, Some(hold));
    }
    bed.advance(seconds(9));
    assert_eq!(beat(bed, "a", "").await.hold, None, "the grace is over");
}

/// Whoever was heard of while the clock was ahead is gone as soon as anybody, and an outage is over as soon as any.
pub(crate) async fn a_clock_that_is_set_back_keeps_no_silent_replica_and_no_outage(bed: &Bed) {
    bed.advance(seconds(3600));
    beat(bed, "a", "1").await;
    bed.advance(OUTAGE_GAP + seconds(1));
    assert!(beat(bed, "b", "2").await.hold.is_some(), "an outage");
    bed.retreat(seconds(3600));
    let pulse = beat(bed, "b", "2").await;
    assert_eq!(names(&pulse), [("a", "1"), ("b", "2")]);
    let mut left = OUTAGE_GRACE + seconds(5);
    while left > seconds(5) {
        bed.advance(seconds(5));
        left -= seconds(5);
        beat(bed, "b", "2").await;
    }
    bed.advance(seconds(5));
    let pulse = beat(bed, "b", "2").await;
    assert_eq!((names(&pulse), pulse.hold), (vec![("b", "2")], None));
}

pub(crate) async fn a_silence_of_one_is_no_outage(bed: &Bed) {
    beat(bed, "a", "").await;
    for _ in 0..5 {
        bed.advance(OUTAGE_GAP - seconds(1));
        assert_eq!(beat(bed, "b", "").await.hold, None);
    }
    assert_eq!(beat(bed, "a", "").await.hold, None);
}

pub(crate) async fn signing_off_does_not_hide_an_outage(bed: &Bed) {
    beat(bed, "a", "").await;
    let pulse = bed.beat("a", None).await.expect("a pulse");
    assert_eq!((names(&pulse), pulse.hold), (vec![], None));
    bed.advance(OUTAGE_GAP + seconds(1));
    let end = beat(bed, "a", "").await;
    assert!(end.hold.is_some(), "an outage");
}

pub(crate) async fn letters_are_kept_newest_first(bed: &Bed) {
    for letter in ["a", "b", "c"] {
        bed.entomb(letter.into()).await.expect("entombed");
    }
    let letters = bed.dead_letters(2).await.expect("letters");
    assert_eq!(letters, ["c", "b"]);
    let letters = bed.dead_letters(9).await.expect("letters");
    assert_eq!(letters, ["c", "b", "a"]);
}

pub(crate) async fn only_so_many_letters_are_kept(bed: &Bed) {
    for number in 0..=DEAD_MAX {
        let letter = Bytes::from(number.to_string());
        bed.entomb(letter).await.expect("entombed");
    }
    let letters = bed.dead_letters(DEAD_MAX * 2).await.expect("letters");
    assert_eq!(letters.len(), DEAD_MAX);
    assert_eq!(letters.last(), Some(&Bytes::from("1")));
}

pub(crate) async fn a_commit_may_leave_a_letter(bed: &Bed) {
    for chat in 1..=3 {
        bed.turn(&key(chat, 1), Cause::Update(1), |commit| {
            commit.dead = Some(chat.to_string().into());
        })
        .await;
    }
    let mut letters = bed.dead_letters(9).await.expect("letters");
    letters.sort();
    assert_eq!(letters, ["1", "2", "3"]);
    assert_eq!(bed.dead_letters(2).await.map(|all| all.len()), Ok(2));
}

pub(crate) async fn a_store_that_is_there_can_be_pinged(bed: &Bed) {
    assert_eq!(bed.ping().await, Ok(()));
    assert!(!bed.kind().is_empty());
    assert!(bed.inspect().await.is_ok());
}

async fn beat(bed: &Bed, replica: &str, info: &str) -> Pulse {
    let info = Bytes::from(info.to_owned());
    let mut pulse = bed.beat(replica, Some(info)).await.expect("a pulse");
    pulse.replicas.sort();
    pulse
}

fn names(pulse: &Pulse) -> Vec<(&str, &str)> {
    let text = |info| std::str::from_utf8(info).expect("text");
    let replicas = pulse.replicas.iter();
    replicas.map(|(name, info)| (&name[..], text(info))).collect()
}
