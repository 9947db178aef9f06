//! An invitation: a link that makes one person something in the company.
//!
//! ```text
//! /invite                       → What shall the newcomer be?  [Owner] [Dispatcher] [Master] [Worker]
//! ‹Master›                      → Send this link to one person: https://t.me/…?start=…
//! ```

use crate::records::invitation::Invite;
use crate::role::{OWNER, ROLES};
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;
use steadfast::records::member::NOT_ALLOWED;

/// An invitation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum InviteFlow {
    /// What it makes of whoever uses it.
    Role,
}

impl Flow for InviteFlow {
    const NAME: &'static str = "invite";
    const ROLES: &'static [Role] = &[OWNER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return Some(refused(refusal));
        }
        turn.begins(Self::NAME).then(|| goto(Self::Role))
    }

    fn ask(&self, _: &Context) -> Prompt {
        let names = ROLES.iter().map(|role| role.name());
        names.fold(say("invite-ask"), |ask, name| ask.choice(super::role(name), name))
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return Ok(refused(refusal));
        }
        let role = turn.choice("invite-hint")?;
        Role::find(role, ROLES).map_err(|_| hint("invite-hint"))?;
        let (code, words) = (turn.secret.clone(), words(&turn.bot, &turn.secret, role));
        Ok(done().record(Invite { code, role: role.to_owned() }).say(words))
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        Some((Duration::from_secs(45 * 60), say("invite-remind")))
    }
}

/// The link, or what to type where the bot does not know its own name yet.
fn words(bot: &str, code: &str, role: &str) -> Text {
    let words = match bot {
        "" => text("invite-code"),
        bot => text("invite-link").with("bot", bot),
    };
    words.with("code", code).with("role", super::role(role))
}

/// Whoever is no owner any more hears so; anybody else that it went wrong.
fn refused(refusal: &Refusal) -> Step<InviteFlow> {
    done().say(match refusal.reason.as_str() {
        NOT_ALLOWED => "not-allowed",
        _ => "apology",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;
    use crate::role::DISPATCHER;

    #[test]
    fn an_owner_makes_a_link_for_one_person() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.is([OWNER]).types("/invite").at("invite/role");
        chat.types("a king").at("invite/role").hears("button");
        chat.presses("Master").at("idle").hears("?start=");
        let code = chat.played().expect("a turn").effects.iter().find_map(|effect| match effect {
            steadfast::dialogue::Effect::Record(record) => record.command["code"].as_str(),
            _ => None,
        });
        let code = code.expect("a record").to_owned();
        chat.hears(&code).hears("https://t.me/steadfast_bot");
    }

    #[test]
    fn an_owner_makes_a_link_in_russian_too() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges()).in_language("ru");
        chat.is([OWNER]).types("/invite").presses("Мастер").hears("одному человеку");
    }

    #[test]
    fn nobody_else_can() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.is([DISPATCHER]).types("/invite").at("idle").hears("for others");
    }

    #[test]
    fn who_is_no_owner_any_more_is_told_and_so_is_whoever_the_records_failed() {
        let bot = flows::all();
        for (reason, words) in [(NOT_ALLOWED, "for others"), ("", "went wrong")] {
            let refused = Input::Refused(Refusal {
                flow: "invite".into(),
                reason: reason.into(),
                command: serde_json::Value::Null,
            });
            let mut chat = TestChat::new(&bot, flows::edges());
            chat.is([OWNER]).does(refused.clone()).at("idle").hears(words);
            chat.types("/invite").does(refused).at("idle").hears(words);
        }
    }

    #[test]
    fn an_invitation_that_is_not_made_reminds_and_waits_aside() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.is([OWNER]).types("/invite").waits(Duration::from_secs(45 * 60)).hears("not made yet");
        chat.waits(Duration::from_secs(15 * 60)).at("idle").presses("Continue").at("invite/role");
    }
}
