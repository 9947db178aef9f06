//! The side that answers: those at the desk.

use super::SupportFlow;
use super::relay::{answered, is_passed_on};
use crate::records::support::{Claim, Conversation};
use crate::role::{MASTER, WORKER};
use steadfast::dialogue::prelude::*;

/// The conversations that wait, and those that colleagues have left for now. Who may ask as well finds how.
pub(super) fn inbox(view: &Context, page: usize) -> Prompt {
    let open: Vec<Conversation> = view.read("conversations");
    let user = view.key.user;
    let heading = match open.iter().filter(|it| it.waits_for(user)).count() {
        0 => text("support-inbox-empty"),
        count => text("support-inbox").with("count", count),
    };
    let prompt = say(heading).refreshes("support-inbox").page(&open, page, |it| {
        let line = match &it.dispatcher {
            None => text("support-inbox-new"),
            Some(_) if it.waits_for(user) => text("support-inbox-yours"),
            Some(by) => text("support-inbox-theirs").with("by", by.called()),
        };
        choice(line.with("name", it.person.called()), &*it.id)
    });
    let member: Member = view.read(Member::READ);
    match member.is_any_of(&[WORKER, MASTER]) {
        true => prompt.choice("support-ask-too", "ask"),
        false => prompt,
    }
}

/// The conversation that was pressed.
pub(super) fn chosen(turn: &Turn, page: usize) -> Answer<SupportFlow> {
    if let Some(page) = turn.page() {
        return Ok(goto(SupportFlow::Inbox { page }));
    }
    let chosen = turn.choice("support-inbox-hint")?;
    if chosen == "ask" {
        return Ok(goto(SupportFlow::Question));
    }
    let open: Vec<Conversation> = turn.read("conversations");
    let Some(known) = open.into_iter().find(|it| it.id == chosen) else {
        return Ok(goto(SupportFlow::Inbox { page }).say("support-ended"));
    };
    let (conversation, over) = (known.id.clone(), false);
    let step = goto(SupportFlow::Answering { conversation: known.id });
    Ok(step.record(Claim { conversation, over }))
}

/// Who replies is the one who answers, unless somebody else was faster. Who was taken over from hears of it.
pub(super) fn reply(turn: &Turn, id: &str, over: bool) -> Step<SupportFlow> {
    let known: Option<Conversation> = turn.read("conversation");
    let Some(known) = known.filter(|it| it.is_open) else {
        return done().say("support-ended");
    };
    let conversation = id.to_owned();
    let step = goto(SupportFlow::Answering { conversation: id.to_owned() });
    let step = step.record(Claim { conversation, over });
    match known.dispatcher.filter(|it| over && it.id != turn.key.user) {
        Some(before) => {
            let news = text("support-taken-over")
                .with("name", known.person.called())
                .with("by", &*turn.person.name);
            step.tell_in(before.language, before.id, say(news))
        }
        None => step,
    }
}

/// What is written to whoever asked.
pub(super) fn answers(turn: &Turn, conversation: String) -> Answer<SupportFlow> {
    is_passed_on(turn)?;
    let known: Option<Conversation> = turn.read("conversation");
    let Some(known) = known.filter(|it| it.is_open) else {
        return Ok(done().say("support-ended"));
    };
    let step = keep(SupportFlow::Answering { conversation });
    Ok(answered(step, turn, &known))
}
