//! A newcomer introduces themselves: seven questions, one at a time, with a way back.
//!
//! ```text
//! /onboarding                   → (1/7) What is your full name?
//! Anna Petrova                  → (2/7) Your phone number?  [Share my number]
//! …                             → Is everything right?  [Yes] [Change: name] …
//! ‹Yes›                         → Thank you, Anna Petrova! We know you now.
//! ```
//! What was said when a question is asked is kept in the records as well, whichever way led to it. So when the dialogue itself is
//! lost, the next message or press goes on at the right question; while it is there, the records are not asked, but for who reads
//! it in the end. That is for private chats: in a group people talk to each other, so nothing is taken up there.

mod place;
mod profile;
#[cfg(test)]
mod tests;
mod understanding;
mod words;

use crate::records::colleague::Colleague;
use crate::records::onboarding::{DropProfile, KeepProfile, WAITS};
use crate::role::ROLES;
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;

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
    const ROLES: &'static [Role] = ROLES;
    const GOES_ON: bool = true;
    const FINDS_LOST: bool = true;

    /// Only what may be meant for it is worth asking the records about, or a beginning, and only when nothing is there to answer to. In a
    /// group people talk to each other.
    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        let is_aside = turn.drafts.iter().any(|flow| flow == Self::NAME);
        let may_be_lost = (is_meant(turn) || turn.begins(Self::NAME)) && !is_aside;
        let wish = (may_be_lost && turn.is_private()).then(|| read(UNFINISHED, ""));
        wish.into_iter().collect()
    }

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return not_finished(refusal);
        }
        let lost: Option<Profile> = match Self::reads_to_open(turn)[..] {
            [] => None,
            _ => turn.read(UNFINISHED),
        };
        match turn.begins(Self::NAME) {
            true => Some(onward(lost.unwrap_or_default())),
            false => lost.map(|profile| Self::restored(profile, turn)),
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        match self {
            Self::Name(_) => question(Question::Name),
            Self::Phone(_) if view.is_private() => {
                question(Question::Phone).asks_contact("onboarding-share")
            }
            // Telegram has no such key in groups.
            Self::Phone(_) => asked(Question::Phone, text("onboarding-ask-phone-typed")),
            Self::City(_) => question(Question::City).removes_keyboard(),
            Self::Trade(_) => TRADES
                .iter()
                .fold(question(Question::Trade), |ask, trade| ask.choice(*trade, *trade)),
            Self::Experience(_) => question(Question::Experience),
            Self::Car(_) => question(Question::Car)
                .row([choice("onboarding-yes", "yes"), choice("onboarding-no", "no")]),
            Self::About(_) => question(Question::About).choice("onboarding-skip", "skip"),
            Self::Confirm(profile) => confirm(profile),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(_) = turn.input {
            return Ok(self.not_kept(turn));
        }
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
                "yes" => finished(&profile, turn),
                field => {
                    let field = Question::named(field);
                    let field = field.ok_or_else(|| hint("onboarding-hint-button"))?;
                    goto(Self::about(field, profile))
                }
            },
        })
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Confirm(_) => vec![read("hosts", "")],
            _ => Vec::new(),
        }
    }

    fn arrives(&self, view: &Context) -> Vec<Deed> {
        match view.is_private() {
            true => done::<Self>().record(kept(&self.said(), false)).deeds,
            false => Vec::new(),
        }
    }

    /// Who only changes one answer comes back to all of them, as they were.
    fn back(self) -> Option<Self> {
        let answered = match (self.profile().next(), self.question()) {
            (Some(next), _) => {
                Question::ALL.into_iter().take_while(|question| *question != next).last()
            }
            (None, Some(_)) => return Some(Self::at(self.profile().clone())),
            (None, None) => Question::ALL.last().copied(),
        };
        answered.map(|question| Self::at(self.profile().clone().without(question)))
    }

    fn cancelled(self, view: &Context) -> Vec<Deed> {
        match view.is_private() {
            true => done::<Self>().record(DropProfile {}).deeds,
            false => Vec::new(),
        }
    }

    fn ttl(&self) -> Duration {
        WAITS
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        Some((THREE_DAYS, say("onboarding-remind")))
    }
}

/// Whether this may be meant for a question that is lost. A photo has a flow of its own, so it is that only where all is lost.
fn is_meant(turn: &Turn) -> bool {
    match turn.input {
        Input::Text(_) | Input::Contact(_) | Input::Other(_) | Input::Press(_) => true,
        Input::Photo(_) => turn.is_blank,
        _ => false,
    }
}

/// Asks what is left.
fn onward(profile: Profile) -> Step<OnboardingFlow> {
    goto(OnboardingFlow::at(profile))
}

/// The last word could not be written: everything is shown once more, and nothing is lost.
fn not_finished(refusal: &Refusal) -> Option<Step<OnboardingFlow>> {
    let command = KeepProfile::deserialize(&refusal.command).ok()?;
    let profile = Profile::deserialize(command.profile).ok()?;
    let shown = confirm(&profile);
    let again = || keep(OnboardingFlow::Confirm(profile));
    let is_finished = command.is_finished;
    is_finished.then(|| again().say("onboarding-not-kept").prompt(shown))
}

/// All is said: it is kept, and whoever has invited them reads it.
fn finished(profile: &Profile, turn: &Turn) -> Step<OnboardingFlow> {
    let thanks = text("onboarding-done").with("name", profile.name.clone().unwrap_or_default());
    let step = done().record(kept(profile, true)).say(thanks);
    let news = say(profile.told("onboarding-news"));
    let hosts: Vec<Colleague> = turn.read("hosts");
    hosts.into_iter().fold(step, |step, host| step.tell_in(host.language, host.id, news.clone()))
}

fn kept(profile: &Profile, is_finished: bool) -> KeepProfile {
    KeepProfile { profile: serde_json::json!(profile), is_finished }
}
