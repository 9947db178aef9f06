//! What counts as an answer, where that is more than a few words.

use super::TRADES;
use crate::phone::Phone;
use steadfast::dialogue::prelude::*;

/// Nobody works for longer.
const MOST_YEARS: u8 = 70;
/// The longest answer.
pub(super) const MOST: usize = 200;

/// One of the buttons, in the words of the person's language, or what they typed.
pub(super) fn trade(turn: &Turn) -> Result<String, Hint> {
    match &turn.input {
        Input::Choice(key) if TRADES.contains(&key.as_str()) => Ok(key.clone()),
        _ => turn.words(MOST, "onboarding-hint-trade"),
    }
}

/// Their own number, typed or shared, as it can be called.
pub(super) fn phone(turn: &Turn) -> Result<String, Hint> {
    let (or, not_own) = match turn.is_private() {
        true => ("onboarding-hint-phone", "onboarding-hint-own"),
        false => ("onboarding-hint-phone-typed", "onboarding-hint-own-typed"),
    };
    let number = match &turn.input {
        Input::Contact(contact) if !contact.own => return Err(hint(not_own)),
        Input::Contact(contact) => Phone::of_contact(&contact.phone),
        _ => turn.text(or)?.parse(),
    };
    let number = number.map_err(|_| hint(or))?;
    Ok(number.to_string())
}

/// For how many years: as many as somebody can work.
pub(super) fn years(turn: &Turn) -> Result<u8, Hint> {
    let or = "onboarding-hint-experience";
    let years = turn.parse(or)?;
    match years <= MOST_YEARS {
        true => Ok(years),
        false => Err(hint(or)),
    }
}
