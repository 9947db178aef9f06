//! Sendings that are granted a little before their time: several in one call, where several are wanted.

use std::time::Duration;

use steadfast::store::{AHEAD, LaneKind, Limits, Pace};

use crate::support::bed::{Bed, seconds};

/// Four are free within the time that is granted ahead.
const EVERY: Duration = Duration::from_millis(60);

pub(crate) const LIMITS: Limits =
    Limits { bot: Some(Pace { every: EVERY, burst: 1 }), chat: None, group: None };

/// On a clock that moves by itself the first may be over before the others are asked for: often enough it is not.
pub(crate) async fn what_is_free_soon_is_granted_in_a_block(bed: &Bed) {
    let mut blocks = 0;
    for _ in 0..20 {
        bed.advance(seconds(10));
        let one = bed.grant(LaneKind::Messages, 4).await.expect("a grant");
        let block = bed.grant(LaneKind::Messages, 4).await.expect("a grant");
        assert!(one.granted >= 1 && block.wait <= AHEAD, "{one:?} {block:?}");
        if !block.wait.is_zero() && block.granted > 0 {
            let last = block.wait + block.apart * (block.granted - 1);
            assert_eq!(block.apart, EVERY);
            assert!(last <= AHEAD, "{block:?}");
            blocks += u32::from(block.granted == 4);
        }
    }
    assert!(blocks > 0, "each was granted alone");
}
