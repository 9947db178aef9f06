//! Passing on: what one side writes, as the other side reads it.

use super::SupportFlow;
use crate::records::colleague::Colleague;
use crate::records::support::{Ask, Claim, Conversation, NoteRelay};
use steadfast::dialogue::prelude::*;

/// Words and photos are passed on; for anything else there is a hint.
pub(super) fn is_passed_on(turn: &Turn) -> Result<(), Hint> {
    match &turn.input {
        Input::Text(_) | Input::Photo(_) => Ok(()),
        _ => Err(hint("support-hint")),
    }
}

/// Passes on what a person asks, to each of these.
pub(super) fn asked(
    step: Step<SupportFlow>,
    turn: &Turn,
    id: &str,
    to: &[Colleague],
) -> Step<SupportFlow> {
    let conversation = id.to_owned();
    let step = step.record(Ask { conversation });
    to.iter().fold(step, |step, colleague| {
        let passed =
            passed(turn, id).link("support-reply", SupportFlow::NAME, format!("reply {id}"));
        step.tell_in(&*colleague.language, colleague.id, passed)
    })
}

/// Passes on what is answered. Who answers first is the one who answers.
pub(super) fn answered(
    step: Step<SupportFlow>,
    turn: &Turn,
    known: &Conversation,
) -> Step<SupportFlow> {
    let (conversation, over) = (known.id.clone(), false);
    let passed = passed(turn, &known.id);
    let link = format!("talk {}", known.id);
    let passed = passed.link("support-write", SupportFlow::NAME, link);
    let person = &known.person;
    step.record(Claim { conversation, over }).tell_in(&*person.language, person.id, passed)
}

/// What was written, with the name of who wrote it. The message is noted as part of the conversation once it is sent.
fn passed(turn: &Turn, conversation: &str) -> Prompt {
    let (words, photo) = match &turn.input {
        Input::Photo(photo) => (photo.caption.as_deref(), Some(&*photo.file_id)),
        Input::Text(words) => (Some(words.as_str()), None),
        _ => (None, None),
    };
    let said = text("support-said")
        .with("name", &*turn.person.name)
        .with("words", words.unwrap_or_default());
    let note =
        NoteRelay { conversation: conversation.to_owned(), message_id: None, message_chat: None };
    say(said).photos(photo).then_record(note)
}
