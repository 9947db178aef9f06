//! A newcomer introduces themselves: seven questions, one at a time, with a way back.
//!
//! ```text
//! /onboarding                   → (1/7) What is your full name?
//! Anna Petrova                  → (2/7) Your phone number?  [Share my number]
//! …                             → Is everything right?  [Yes] [Change: name] …
//! ‹Yes›                         → Thank you, Anna Petrova! We know you now.
//! ```
//! Every answer is kept in the records as well. So when the dialogue itself is lost, the next message goes on at the right question;
//! while it is there, the records are not asked.

mod profile;

use crate::dialogue::prelude::*;
use crate::phone::Phone;
use crate::records::onboarding::{DropProfile, KeepProfile};

use profile::Profile;
pub use profile::Question;

/// The read that brings back what was said before the dialogue was lost.
const UNFINISHED: &str = "unfinished_profile";
/// How long it waits for an answer: a newcomer may need a week.
const WEEK: Duration = Duration::from_secs(7 * 86_400);
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
        let is_private = turn.key.chat == turn.key.user;
        let is_lost = is_answer && is_private && !turn.drafts.iter().any(|flow| flow == Self::NAME);
        is_lost.then(|| read(UNFINISHED, "")).into_iter().collect()
    }

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if turn.begins(Self::NAME) {
            return Some(goto(Self::at(Profile::default())));
        }
        if Self::reads_to_open(turn).is_empty() {
            return None;
        }
        let profile: Option<Profile> = turn.read(UNFINISHED);
        profile.map(|profile| Self::restored(profile, turn))
    }

    fn ask(&self, _: &View) -> Prompt {
        match self {
            Self::Name(_) => self.question("onboarding-ask-name"),
            Self::Phone(_) => self
                .question("onboarding-ask-phone")
                .asks_contact("onboarding-share"),
            Self::City(_) => self.question("onboarding-ask-city").removes_keyboard(),
            Self::Trade(_) => TRADES
                .iter()
                .fold(self.question("onboarding-ask-trade"), |ask, trade| {
                    ask.choice(*trade, *trade)
                }),
            Self::Experience(_) => self.question("onboarding-ask-experience"),
            Self::Car(_) => self.question("onboarding-ask-car").row([
                choice("onboarding-yes", "yes"),
                choice("onboarding-no", "no"),
            ]),
            Self::About(_) => self
                .question("onboarding-ask-about")
                .choice("onboarding-skip", "skip"),
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
                let years = turn.parse("onboarding-hint-experience")?;
                let is_life = years <= MOST_YEARS;
                profile.experience = Some(years).filter(|_| is_life);
                profile
                    .experience
                    .ok_or_else(|| hint("onboarding-hint-experience"))?;
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
                    goto(Self::at(profile.without(field)))
                }
            },
        })
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

    fn cancelled(self, _: &View) -> Vec<Deed> {
        done::<Self>().record(DropProfile {}).deeds
    }

    fn ttl(&self) -> Duration {
        WEEK
    }

    fn remind(&self, _: &View) -> Option<(Duration, Prompt)> {
        Some((THREE_DAYS, say("onboarding-remind")))
    }
}

/// What many do, as buttons; anything else can be typed.
const TRADES: [&str; 4] = [
    "onboarding-plumber",
    "onboarding-electrician",
    "onboarding-appliances",
    "onboarding-cleaner",
];
/// Nobody works for longer.
const MOST_YEARS: u8 = 70;
/// The longest answer.
const MOST: usize = 200;

impl OnboardingFlow {
    /// The state that asks the first question without an answer.
    fn at(profile: Profile) -> Self {
        match profile.next() {
            Some(Question::Name) => Self::Name(profile),
            Some(Question::Phone) => Self::Phone(profile),
            Some(Question::City) => Self::City(profile),
            Some(Question::Trade) => Self::Trade(profile),
            Some(Question::Experience) => Self::Experience(profile),
            Some(Question::Car) => Self::Car(profile),
            Some(Question::About) => Self::About(profile),
            None => Self::Confirm(profile),
        }
    }

    /// Goes on where the lost dialogue was, with this message as the answer.
    fn restored(profile: Profile, turn: &Turn) -> Step<Self> {
        let state = Self::at(profile);
        match state.clone().answer(turn) {
            Ok(step) => step,
            Err(Hint(words)) => goto(state).say(words),
        }
    }

    fn profile(&self) -> &Profile {
        match self {
            Self::Name(profile)
            | Self::Phone(profile)
            | Self::City(profile)
            | Self::Trade(profile)
            | Self::Experience(profile)
            | Self::Car(profile)
            | Self::About(profile)
            | Self::Confirm(profile) => profile,
        }
    }

    /// A question, with how far it is.
    fn question(&self, words: &'static str) -> Prompt {
        let next = self.profile().next();
        let at = Question::ALL
            .iter()
            .position(|question| Some(*question) == next);
        say(text("onboarding-question")
            .with("at", at.map_or(Question::ALL.len(), |at| at + 1))
            .with("of", Question::ALL.len())
            .with("question", text(words)))
    }
}

/// Keeps what was said, and asks what is left.
fn onward(profile: Profile) -> Step<OnboardingFlow> {
    let kept = kept(&profile, false);
    goto(OnboardingFlow::at(profile)).record(kept)
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

fn confirm(profile: &Profile) -> Prompt {
    let yes = say(profile.summary()).choice("onboarding-confirm", "yes");
    Question::ALL.chunks(2).fold(yes, |ask, pair| {
        let change = |field: &Question| {
            let field = field.name();
            choice(
                text("onboarding-change").with("field", super::key("onboarding-field", field)),
                field,
            )
        };
        ask.row(pair.iter().map(change))
    })
}

/// One of the buttons, in the words of the person's language, or what they typed.
fn trade(turn: &Turn) -> Result<String, Hint> {
    match &turn.input {
        Input::Choice(key) if TRADES.contains(&key.as_str()) => Ok(key.clone()),
        _ => turn.words(MOST, "onboarding-hint-trade"),
    }
}

/// The number, typed or shared, as it can be called.
fn phone(turn: &Turn) -> Result<String, Hint> {
    let or = "onboarding-hint-phone";
    let number = match &turn.input {
        Input::Contact(contact) => Phone::of_contact(&contact.phone),
        _ => turn.text(or)?.parse(),
    };
    let number = number.map_err(|_| hint(or))?;
    Ok(number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogue::{Contact, Effect};
    use crate::flows;
    use crate::role::Member;

    fn chat(bot: &Repertoire) -> Transcript<'_> {
        let mut chat = Transcript::new(bot, flows::edges());
        chat.is([Role::Worker]).knows(read(UNFINISHED, ""), ());
        chat
    }

    fn answers(chat: &mut Transcript<'_>) {
        chat.types("/onboarding")
            .at("onboarding/name")
            .hears("(1/7)");
        chat.types("Anna Petrova")
            .at("onboarding/phone")
            .hears("(2/7)");
        chat.types("8 (999) 123-45-67")
            .at("onboarding/city")
            .hears("(3/7)");
        chat.types("Kazan").at("onboarding/trade").hears("(4/7)");
        chat.presses("Plumber")
            .at("onboarding/experience")
            .hears("(5/7)");
        chat.types("5").at("onboarding/car").hears("(6/7)");
        chat.presses("Yes").at("onboarding/about").hears("(7/7)");
        chat.presses("Nothing else")
            .at("onboarding/confirm")
            .hears("Anna Petrova");
    }

    #[test]
    fn a_newcomer_answers_seven_questions() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        answers(&mut chat);
        chat.hears("Plumber, 5 years").hears("Kazan");
        chat.presses("✅ Everything is right")
            .at("idle")
            .hears("Thank you, Anna Petrova");
    }

    #[test]
    fn a_newcomer_answers_in_russian_too() {
        let bot = flows::all();
        let mut chat = chat(&bot).in_language("ru");
        chat.types("/onboarding").hears("Как вас зовут");
        chat.types("Анна").types("+7 999 123-45-67").types("Казань");
        chat.presses("Электрик")
            .types("3")
            .presses("Нет")
            .types("Люблю кошек");
        chat.at("onboarding/confirm").hears("Электрик, 3 года");
        chat.presses("✅ Всё верно").hears("Теперь мы знакомы");
    }

    #[test]
    fn one_answer_is_changed_without_starting_over() {
        let bot = flows::all();
        for (button, state, answer) in [
            ("✏️ Name", "name", "Olga"),
            ("✏️ Phone", "phone", "+7 999 765-43-21"),
            ("✏️ Town", "city", "Omsk"),
            ("✏️ Trade", "trade", "Gardener"),
            ("✏️ Experience", "experience", "6"),
            ("✏️ Anything else", "about", "Cats"),
        ] {
            let mut chat = chat(&bot);
            answers(&mut chat);
            chat.presses(button).at(&format!("onboarding/{state}"));
            chat.types(answer).at("onboarding/confirm");
        }
        let mut chat = chat(&bot);
        answers(&mut chat);
        chat.presses("✏️ Car").at("onboarding/car");
        chat.presses("No").at("onboarding/confirm").hears("🚗 No");
    }

    #[test]
    fn there_is_a_way_back_through_all_questions() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        answers(&mut chat);
        for state in [
            "about",
            "car",
            "experience",
            "trade",
            "city",
            "phone",
            "name",
        ] {
            chat.types("/back").at(&format!("onboarding/{state}"));
        }
        chat.types("/back").hears("no way back");
    }

    #[test]
    fn what_is_no_answer_gets_a_hint() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        chat.types("/onboarding")
            .sends_photo("p", None, None)
            .hears("full name");
        chat.types(&"x".repeat(201))
            .at("onboarding/name")
            .hears("200");
        chat.types("Anna")
            .types("call me")
            .at("onboarding/phone")
            .hears("phone number");
        let phone = "79991234567".to_owned();
        chat.does(Input::Contact(Contact { phone, own: true }))
            .at("onboarding/city");
        chat.types("Kazan")
            .does(Input::Other("voice"))
            .hears("press a button");
        chat.presses("Cleaning")
            .types("many")
            .at("onboarding/experience")
            .hears("number of years");
        chat.types("200").at("onboarding/experience");
        chat.types("1")
            .types("a car")
            .at("onboarding/car")
            .hears("buttons");
        chat.presses("No")
            .does(Input::Other("sticker"))
            .at("onboarding/about");
        chat.types("Cats")
            .types("right")
            .at("onboarding/confirm")
            .hears("buttons");
    }

    #[test]
    fn a_lost_dialogue_goes_on_at_the_right_question() {
        let bot = flows::all();
        let all = [
            ("name", "Anna"),
            ("phone", "+79991234567"),
            ("city", "Kazan"),
            ("trade", "Gardener"),
        ];
        for known in 1..=all.len() {
            let said = all.iter().take(known).copied();
            let profile: serde_json::Map<_, _> = said
                .map(|(field, answer)| (field.to_owned(), serde_json::json!(answer)))
                .collect();
            let mut chat = chat(&bot);
            chat.knows(read(UNFINISHED, ""), profile);
            let next = ["phone", "city", "trade", "experience"][known - 1];
            chat.does(Input::Text("?".repeat(300)))
                .at(&format!("onboarding/{next}"));
        }
        let mut chat = chat(&bot);
        chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
        chat.types("8 999 123 45 67")
            .at("onboarding/city")
            .hears("(3/7)");
    }

    #[test]
    fn a_lost_dialogue_goes_on_in_the_language_that_was_chosen() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        let language = Some("ru".to_owned());
        let roles = [Role::Worker].into();
        chat.knows(read(Member::READ, ""), Member { roles, language });
        chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
        chat.types("8 999 123 45 67")
            .at("onboarding/city")
            .hears("городе");
    }

    #[test]
    fn while_the_dialogue_is_there_the_records_are_not_asked() {
        let bot = flows::all();
        let mut chat = Transcript::new(&bot, flows::edges());
        // Whatever is read beside who they are would be a panic: the transcript knows nothing else.
        chat.is([Role::Worker]).types("/onboarding").types("Anna");
        chat.types("+79991234567").at("onboarding/city");
    }

    #[test]
    fn who_ends_it_is_not_asked_again() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        chat.types("/onboarding")
            .types("Anna")
            .types("/cancel")
            .at("idle");
        chat.records(DropProfile {});
        chat.types("/onboarding").types("Anna").waits(WEEK);
        chat.presses("Drop it").records(DropProfile {});
    }

    #[test]
    fn a_newcomer_is_reminded_and_may_go_on_later() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        chat.types("/onboarding").types("Anna");
        chat.waits(THREE_DAYS).hears("Shall we go on");
        chat.waits(WEEK - THREE_DAYS)
            .at("idle")
            .hears("Continue where you stopped?");
        chat.presses("Continue").at("onboarding/phone");
    }

    #[test]
    fn every_answer_is_kept_in_the_records() {
        let bot = flows::all();
        let mut chat = chat(&bot);
        chat.types("/onboarding").types("Anna");
        let written = chat.played().into_iter().flat_map(|played| &played.effects);
        let kept: Vec<_> = written
            .filter(|effect| matches!(effect, Effect::Record(_)))
            .collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
    }
}
