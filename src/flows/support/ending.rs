//! How a conversation comes to an end, or to a pause, or to nothing.

use super::SupportFlow;
use crate::records::support::{CLAIMED, Conversation, ENDED, EndConversation};
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;
use steadfast::records::member::NOT_ALLOWED;

/// One side has enough: for good, or for now.
pub(super) fn closed(turn: &Turn, conversation: String) -> Step<SupportFlow> {
    if turn.input == Input::Choice("leave".to_owned()) {
        return done().say("support-left");
    }
    let known: Option<Conversation> = turn.read("conversation");
    let other = known.and_then(|it| match it.person.id == turn.key.user {
        true => it.dispatcher,
        false => Some(it.person),
    });
    let step = done().record(EndConversation { conversation }).say("support-ended");
    match other {
        Some(other) => {
            let news = text("support-ended-by").with("name", &*turn.person.name);
            step.tell_in(other.language, other.id, say(news))
        }
        None => step,
    }
}

/// Nothing was written for a while: what is written from now on is not passed on by itself.
pub(super) fn paused(verb: &str, conversation: &str) -> Step<SupportFlow> {
    let link = format!("{verb} {conversation}");
    done().prompt(say("support-paused").link("support-write", SupportFlow::NAME, link))
}

/// It has ended, or somebody else answers. What is `live` in another conversation is left alone.
pub(super) fn refused(refusal: &Refusal, live: Option<SupportFlow>) -> Option<Step<SupportFlow>> {
    let id = refusal.command["conversation"].as_str()?;
    let step = match live {
        Some(state) if state.conversation() != Some(id) => keep(state),
        _ => done(),
    };
    let (word, name) = refusal.reason.split_once(' ').unwrap_or((&refusal.reason, ""));
    Some(match word {
        ENDED => step.say("support-ended"),
        CLAIMED => {
            let name = match name {
                "" => text("support-somebody"),
                name => text(name.to_owned()),
            };
            let claimed = say(text("support-claimed").with("name", name));
            step.prompt(claimed.link("support-take-over", SupportFlow::NAME, format!("take {id}")))
        }
        NOT_ALLOWED => step.say("not-allowed"),
        _ => step.say("support-not-passed"),
    })
}
