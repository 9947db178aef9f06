//! The side that asks.

use super::SupportFlow;
use super::relay::{asked, is_passed_on};
use crate::records::colleague::Colleague;
use crate::records::support::Conversation;
use steadfast::dialogue::prelude::*;

/// Who asked goes on, if it is theirs and goes on at all.
pub(super) fn talk(turn: &Turn, id: &str) -> Step<SupportFlow> {
    let known: Option<Conversation> = turn.read("conversation");
    let own = known.filter(|it| it.person.id == turn.key.user && it.is_open);
    match own {
        Some(_) => goto(SupportFlow::Talking { conversation: id.to_owned() }),
        None => goto(SupportFlow::Question).say("support-ended"),
    }
}

/// The first thing a person asks.
pub(super) fn question(turn: &Turn) -> Answer<SupportFlow> {
    is_passed_on(turn)?;
    let to = whom(turn, None);
    if to.is_empty() {
        return Ok(done().say("support-nobody"));
    }
    let conversation = turn.stamp.clone();
    let step = goto(SupportFlow::Talking { conversation: conversation.clone() });
    Ok(asked(step, turn, &conversation, &to))
}

/// Another thing. If the conversation has ended meanwhile, it is a new question.
pub(super) fn asks_more(turn: &Turn, conversation: String) -> Answer<SupportFlow> {
    is_passed_on(turn)?;
    let known: Option<Conversation> = turn.read("conversation");
    let Some(known) = known.filter(|it| it.is_open) else {
        return question(turn);
    };
    let to = whom(turn, Some(&known));
    if to.is_empty() {
        return Ok(done().say("support-nobody"));
    }
    let step = keep(SupportFlow::Talking { conversation });
    Ok(asked(step, turn, &known.id, &to))
}

/// Who hears what a person writes: the one who answers, else everybody else who could.
pub(super) fn whom(turn: &Turn, known: Option<&Conversation>) -> Vec<Colleague> {
    match known.and_then(|it| it.dispatcher.clone()) {
        Some(dispatcher) => vec![dispatcher],
        None => turn.read("other_colleagues"),
    }
}
