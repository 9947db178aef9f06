//! Opening a shift: where, for which time slot, on which terms. What holds at the press decides, and only what was seen is agreed to.

use super::{ShiftFlow, list, now};
use crate::records::shift::{Offer, OpenShift, Running, Site};
use steadfast::dialogue::prelude::*;

/// To the shift that is open, else to where one can be opened.
pub(super) fn begin(turn: &Turn) -> Step<ShiftFlow> {
    if let Some(shift) = turn.read::<Option<Running>>("shift") {
        return goto(list(shift, None));
    }
    let nothing = || done().say("shift-no-objects");
    choose(turn).map_or_else(nothing, goto)
}

/// Asks where, unless that leaves no choice; none where there is nowhere to go.
fn choose(view: &Context) -> Option<ShiftFlow> {
    match &view.read::<Vec<Site>>("sites")[..] {
        [] => None,
        [only] => Some(towards(only)),
        _ => Some(ShiftFlow::Object { page: 0 }),
    }
}

/// Asks for which slot, unless that leaves no choice.
fn towards(site: &Site) -> ShiftFlow {
    let object = site.object.id.clone();
    match &site.slots[..] {
        [] | [_] => {
            ShiftFlow::Terms { object, slot: site.slots.first().map(|slot| slot.id.clone()) }
        }
        _ => ShiftFlow::Slot { object, page: 0 },
    }
}

pub(super) fn at_object(turn: &Turn) -> Answer<ShiftFlow> {
    if let Some(page) = turn.page() {
        return Ok(goto(ShiftFlow::Object { page }));
    }
    let chosen = turn.choice("shift-object-hint")?;
    let site = site(turn, chosen);
    Ok(site.map_or_else(|| gone(turn), |site| goto(towards(&site))))
}

pub(super) fn at_slot(object: String, turn: &Turn) -> Answer<ShiftFlow> {
    if let Some(page) = turn.page() {
        return Ok(goto(ShiftFlow::Slot { object, page }));
    }
    let slot = Some(turn.choice("shift-slot-hint")?.to_owned());
    let step = elsewhere(&object, slot.as_deref(), turn);
    Ok(step.unwrap_or_else(|| goto(ShiftFlow::Terms { object, slot })))
}

pub(super) fn at_terms(object: &str, slot: Option<&str>, turn: &Turn) -> Answer<ShiftFlow> {
    let agreed = turn.choice("shift-start-hint")?;
    if let Some(step) = elsewhere(object, slot, turn) {
        return Ok(step);
    }
    Ok(match turn.read::<Option<Offer>>("offer") {
        Some(offer) if mark(&offer) == agreed => start(offer, turn),
        Some(offer) => {
            goto(ShiftFlow::Terms { object: offer.object.id, slot: slot.map(str::to_owned) })
                .say("shift-terms-changed")
        }
        None => goto(ShiftFlow::Object { page: 0 }),
    })
}

/// Where to, if no shift can be opened any more at this object, or not for this slot, or not for none. So nobody gets round a
/// slot, and what being late for it costs, by a question from before its time.
fn elsewhere(object: &str, slot: Option<&str>, turn: &Turn) -> Option<Step<ShiftFlow>> {
    let Some(site) = site(turn, object) else {
        return Some(gone(turn));
    };
    let holds = match slot {
        Some(slot) => site.slots.iter().any(|now| now.id == slot),
        None => site.slots.is_empty(),
    };
    (!holds).then(|| goto(towards(&site)).say("shift-slots-changed"))
}

/// To what is left.
fn gone(view: &Context) -> Step<ShiftFlow> {
    choose(view).map_or_else(done, goto).say("shift-gone")
}

/// What the button of an offer carries: whoever presses it agrees to these terms and to no others.
pub(super) fn mark(offer: &Offer) -> String {
    let terms = serde_json::to_vec(&offer.terms).expect("terms are plain data");
    format!("open {:016x}", xxhash_rust::xxh3::xxh3_64(&terms))
}

/// Opens it on the terms that were shown.
fn start(offer: Offer, turn: &Turn) -> Step<ShiftFlow> {
    let Offer { object, terms } = offer;
    let shift = Running {
        id: turn.fresh_id(),
        object: object.name,
        zone: object.zone,
        opened_at: now(turn),
        terms: terms.clone(),
    };
    let open = OpenShift { id: shift.id.clone(), object: object.id, terms, at: shift.opened_at };
    goto(list(shift, None)).record(open)
}

pub(super) fn site(view: &Context, object: &str) -> Option<Site> {
    let sites: Vec<Site> = view.read("sites");
    sites.into_iter().find(|site| site.object.id == object)
}
