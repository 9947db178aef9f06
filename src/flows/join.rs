//! Somebody comes by an invitation and is something in the company from then on.
//!
//! ```text
//! /start ‹code›                 → Welcome! You are a master now.  [Introduce yourself] [🏠 Main menu]
//! ```

use crate::records::invitation::{EXPIRED, Invitation, Join, UNKNOWN, USED};
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;

/// Somebody comes by an invitation. It is over at once, so it has no states to wait in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum JoinFlow {}

impl Flow for JoinFlow {
    const NAME: &'static str = "join";
    const IN_MENU: bool = false;

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match code(turn) {
            Some(code) => vec![read("invitation", code), read(Member::READ, "")],
            None => Vec::new(),
        }
    }

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return refused(refusal).map(|words| done().say(words));
        }
        let code = code(turn)?;
        Some(match turn.read("invitation") {
            None => done().say("join-unknown"),
            Some(invitation) => join(code, &invitation, turn),
        })
    }

    fn ask(&self, _: &Context) -> Prompt {
        match *self {}
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        match self {}
    }
}

/// The word that an invitation's link brings.
fn code(turn: &Turn) -> Option<&str> {
    match &turn.input {
        Input::Command(Command { name, arg }) if name == "start" => {
            Some(arg.as_str()).filter(|arg| !arg.is_empty())
        }
        _ => None,
    }
}

fn join(code: &str, invitation: &Invitation, turn: &Turn) -> Step<JoinFlow> {
    let Invitation { role, created_by, .. } = invitation;
    let user = turn.key.user;
    let member: Member = turn.read(Member::READ);
    match invitation.used_by {
        Some(used_by) if used_by == user => done().say("join-again"),
        Some(_) => done().say("join-used"),
        None if invitation.is_expired => done().say("join-expired"),
        // It is left to whoever it is for.
        None if *created_by == user => done().say("join-own"),
        None if member.roles.contains(role) => {
            done().say(text("join-member").with("role", super::role(role)))
        }
        None => {
            let welcome = text("join-welcome").with("role", super::role(role));
            let news = text("join-news")
                .with("who", turn.person.name.as_str())
                .with("role", super::role(role));
            done()
                .record(Join { code: code.to_owned() })
                .prompt(say(welcome).link("join-introduce", "onboarding", ""))
                .tell_in(&invitation.language, *created_by, say(news))
        }
    }
}

/// What somebody hears for whom another was too fast. What went wrong otherwise is not the invitation's fault.
fn refused(refusal: &Refusal) -> Option<&'static str> {
    match refusal.reason.as_str() {
        USED => Some("join-used"),
        EXPIRED => Some("join-expired"),
        UNKNOWN => Some("join-unknown"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;
    use crate::role::{MASTER, OWNER, WORKER};
    use steadfast::dialogue::Effect;

    fn invitation() -> Invitation {
        Invitation {
            role: MASTER.name().to_owned(),
            created_by: 42,
            language: "ru".to_owned(),
            used_by: None,
            is_expired: false,
        }
    }

    fn comes_to(invitation: Option<Invitation>, words: &str) {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.knows(read("invitation", "code"), invitation);
        chat.types("/start code").at("idle").hears(words);
    }

    #[test]
    fn whoever_has_the_link_is_welcomed_and_the_owner_is_told() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.knows(read("invitation", "code"), invitation());
        chat.types("/start code").at("idle").hears("Welcome");
        let code = "code".to_owned();
        chat.records(Join { code }).tells(42, "Мастер");
        assert_eq!(chat.button("🏠 Main menu"), "lmenu.");
    }

    #[test]
    fn whoever_has_the_link_is_welcomed_in_russian_too() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges()).in_language("ru");
        chat.knows(read("invitation", "code"), invitation());
        chat.types("/start code").hears("Добро пожаловать");
        chat.hears("Мастер").button("👋 Рассказать о себе");
    }

    #[test]
    fn who_only_tries_a_link_or_needs_it_not_leaves_it_to_others() {
        let bot = flows::all();
        let own = Invitation { created_by: 5001, ..invitation() };
        for (role, invitation, words) in
            [(OWNER, own, "your own link"), (MASTER, invitation(), "You are already with us as")]
        {
            let mut chat = TestChat::new(&bot, flows::edges());
            chat.is([role]).knows(read("invitation", "code"), invitation);
            chat.types("/start code").at("idle").hears(words);
            let effects = &chat.played().expect("a turn").effects;
            let is_record = |effect: &Effect| matches!(effect, Effect::Record(_));
            assert!(!effects.iter().any(is_record));
        }
        let mut other = TestChat::new(&bot, flows::edges());
        other.is([WORKER]).knows(read("invitation", "code"), invitation());
        other.types("/start code").hears("Welcome");
    }

    #[test]
    fn a_link_works_once_and_not_for_ever() {
        let used_by = |user| Invitation { used_by: Some(user), ..invitation() };
        let expired = Invitation { is_expired: true, ..invitation() };
        comes_to(None, "no such invitation");
        comes_to(Some(used_by(7)), "used already");
        comes_to(Some(used_by(5001)), "already with us");
        comes_to(Some(expired), "too old");
    }

    #[test]
    fn the_slower_of_two_is_told_the_truth() {
        let bot = flows::all();
        let refused = |reason: &str| {
            let mut chat = TestChat::new(&bot, flows::edges());
            chat.does(Input::Refused(Refusal {
                flow: "join".into(),
                reason: reason.into(),
                command: serde_json::Value::Null,
            }));
            chat
        };
        refused(USED).hears("used already");
        refused(EXPIRED).hears("too old");
        refused(UNKNOWN).hears("no such invitation");
        refused("").hears("Something went wrong on our side");
    }

    #[test]
    fn a_start_without_a_code_is_the_usual_one() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.is([WORKER]).types("/start").hears("Hello");
    }
}
