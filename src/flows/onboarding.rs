//! A newcomer introduces themselves: seven questions, one at a time, with a way back.
//!
//! ```text
//! /onboarding                   → (1/7) What is your full name?
//! Anna Petrova                  → (2/7) Your phone number?  [Share my number]
//! …                             → Is everything right?  [Yes] [Change: name] …
//! ‹Yes›                         → Thank you, Anna Petrova! We know you now.
//! ```
//! What was said when a question is asked is kept in the records as well, whichever way led to it. So when the dialogue itself is
//! lost, the next message goes on at the right question; while it is there, the records are not asked. That is for private chats: in a
//! group people talk to each other, so nothing is taken up there.

mod place;
mod profile;
#[cfg(test)]
mod tests;
mod understanding;
mod words;

use crate::dialogue::prelude::*;
use crate::records::onboarding::{DropProfile, KeepProfile, WAITS};

use profile::Profile;
pub use profile::Question;
use understanding::{MOST, phone, trade, years};
use words::{TRADES, asked, confirm, question};

/// The read that brings back what was said before the dialogue was lost.
const UNFINISHED: &str = "unfinished_profile";
/// When it reminds them.
const THREE_DAYS: Duration = Duration::from_secs(3 * 86_400);

/// A newcomer introduces themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum OnboardingFlow {
    /// The full name.
    Name(Profile),
    /// The phone number.
    Phone(Profile),
    /// Where they live.
    City(Profile),
    /// What they do.
    Trade(Profile),
    /// For how many years.
    Experience(Profile),
    /// Whether they have a car.
    Car(Profile),
    /// Anything else.
    About(Profile),
    /// Whether all of it is right.
    Confirm(Profile),
}

impl Flow for OnboardingFlow {
    const NAME: &'static str = "onboarding";
    const ROLES: &'static [Role] = &Role::ALL;

    /// Only what may be an answer is worth asking the records about, and only when nothing is there to answer to. In a group people
    /// talk to each other.
    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        let is_answer = matches!(turn.input, Input::Text(_) | Input::Contact(_));
        let is_aside = turn.drafts.iter().any(|flow| flow == Self::NAME);
        let is_lost = is_answer && is_private(turn) && !is_aside;
        is_lost.then(|| read(UNFINISHED, "")).into_iter().collect()
    }

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if turn.begins(Self::NAME) {
            return Some(onward(Profile::default()));
        }
        if Self::reads_to_open(turn).is_empty() {
            return None;
        }
        let profile: Option<Profile> = turn.read(UNFINISHED);
        profile.map(|profile| Self::restored(profile, turn))
    }

    fn ask(&self, view: &View) -> Prompt {
        match self {
            Self::Name(_) => question(Question::Name),
            Self::Phone(_) if is_private(view) => {
                question(Question::Phone).asks_contact("onboarding-share")
            }
            // Telegram has no such key in groups.
            Self::Phone(_) => asked(Question::Phone, text("onboarding-ask-phone-typed")),
            Self::City(_) => question(Question::City).removes_keyboard(),
            Self::Trade(_) => TRADES.iter().fold(question(Question::Trade), |ask, trade| {
                ask.choice(*trade, *trade)
            }),
            Self::Experience(_) => question(Question::Experience),
            Self::Car(_) => question(Question::Car).row([
                choice("onboarding-yes", "yes"),
                choice("onboarding-no", "no"),
            ]),
            Self::About(_) => question(Question::About).choice("onboarding-skip", "skip"),
            Self::Confirm(profile) => confirm(profile),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match self {
            Self::Name(mut profile) => {
                profile.name = Some(turn.words(MOST, "onboarding-hint-name")?);
                onward(profile)
            }
            Self::Phone(mut profile) => {
                profile.phone = Some(phone(turn)?);
                onward(profile)
            }
            Self::City(mut profile) => {
                profile.city = Some(turn.words(MOST, "onboarding-hint-city")?);
                onward(profile)
            }
            Self::Trade(mut profile) => {
                profile.trade = Some(trade(turn)?);
                onward(profile)
            }
            Self::Experience(mut profile) => {
                profile.experience = Some(years(turn)?);
                onward(profile)
            }
            Self::Car(mut profile) => {
                profile.car = Some(turn.choice("onboarding-hint-button")? == "yes");
                onward(profile)
            }
            Self::About(mut profile) => {
                profile.about = Some(match &turn.input {
                    Input::Choice(_) => String::new(),
                    _ => turn.words(MOST, "onboarding-hint-about")?,
                });
                onward(profile)
            }
            Self::Confirm(profile) => match turn.choice("onboarding-hint-button")? {
                "yes" => finished(&profile),
                field => {
                    let field = Question::named(field);
                    let field = field.ok_or_else(|| hint("onboarding-hint-button"))?;
                    onward(profile.without(field))
                }
            },
        })
    }

    fn arrives(&self, view: &View) -> Vec<Deed> {
        match is_private(view) {
            true => done::<Self>().record(kept(self.profile(), false)).deeds,
            false => Vec::new(),
        }
    }

    fn back(self) -> Option<Self> {
        let answered = match self.profile().next() {
            Some(next) => Question::ALL
                .into_iter()
                .take_while(|question| *question != next)
                .last(),
            None => Question::ALL.last().copied(),
        };
        answered.map(|question| Self::at(self.profile().clone().without(question)))
    }

    fn cancelled(self, view: &View) -> Vec<Deed> {
        match is_private(view) {
            true => done::<Self>().record(DropProfile {}).deeds,
            false => Vec::new(),
        }
    }

    fn ttl(&self) -> Duration {
        WAITS
    }

    fn remind(&self, _: &View) -> Option<(Duration, Prompt)> {
        Some((THREE_DAYS, say("onboarding-remind")))
    }
}

/// Asks what is left.
fn onward(profile: Profile) -> Step<OnboardingFlow> {
    goto(OnboardingFlow::at(profile))
}

/// Whether nobody else reads along.
fn is_private(view: &View) -> bool {
    view.key.chat == view.key.user
}

fn finished(profile: &Profile) -> Step<OnboardingFlow> {
    let thanks = text("onboarding-done").with("name", profile.name.clone().unwrap_or_default());
    done().record(kept(profile, true)).say(thanks)
}

fn kept(profile: &Profile, is_finished: bool) -> KeepProfile {
    KeepProfile {
        profile: serde_json::json!(profile),
        is_finished,
    }
}
