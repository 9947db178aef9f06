//! Closing a shift, with the pay that was shown.

use super::{ShiftFlow, list, now, words};
use crate::pay::{pay, total};
use crate::records::colleague::Colleague;
use crate::records::shift::{CloseShift, Running};
use steadfast::dialogue::prelude::*;

/// How long a summary may stand before it is shown anew: pay goes by the minute.
const STANDS: i64 = 10 * 60_000;

pub(super) fn at_close(shift: Running, until: i64, turn: &Turn) -> Answer<ShiftFlow> {
    Ok(match turn.choice("shift-close-hint")? {
        "back" => goto(list(shift, None)),
        _ if now(turn) - until > STANDS => {
            let until = now(turn);
            goto(ShiftFlow::Close { shift, until }).say("shift-renewed")
        }
        _ => close(&shift, until, turn),
    })
}

/// Closes it with the pay that was shown, and tells the other owners.
fn close(shift: &Running, until: i64, turn: &Turn) -> Step<ShiftFlow> {
    let record = CloseShift {
        shift: shift.id.clone(),
        at: until,
        total: total(&pay(&shift.terms, shift.opened_at, until)),
    };
    let step = done().record(record);
    let step = step.say(words::summary("shift-closed", shift, until));
    let told = words::told(&turn.person, shift, until);
    let owners: Vec<Colleague> = turn.read("other_colleagues");
    owners
        .into_iter()
        .fold(step, |step, owner| step.tell_in(owner.language, owner.id, say(told.clone())))
}
