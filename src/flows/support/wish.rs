//! How a conversation is begun or gone on with.

use super::SupportFlow;
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;

/// How a conversation is begun or gone on with.
pub(super) enum Wish<'a> {
    /// By the command or from the menu.
    Begin,
    /// By who asked, in this conversation.
    Talk(&'a str),
    /// By who answers.
    Reply {
        /// Which conversation.
        conversation: &'a str,
        /// Also from somebody else who answers.
        over: bool,
    },
    /// By answering this message, whatever else is asked.
    PassOn(i32),
    /// Something was refused.
    Refused(&'a Refusal),
}

impl<'a> Wish<'a> {
    /// What this turn asks for, if anything.
    pub(super) fn of(turn: &'a Turn) -> Option<Self> {
        // Conversations are private; in groups people answer each other.
        let reply_to = turn.reply_to.filter(|_| turn.is_private());
        let link = match (&turn.input, reply_to) {
            (Input::Refused(refusal), _) => return Some(Self::Refused(refusal)),
            (Input::Text(_) | Input::Photo(_), Some(message)) => {
                return Some(Self::PassOn(message));
            }
            (Input::Link(link), _) => link.as_str(),
            _ if turn.is_command(SupportFlow::NAME) => "",
            _ => return None,
        };
        let over = link.starts_with("take ");
        Some(match link.split_once(' ') {
            Some(("talk", conversation)) => Self::Talk(conversation),
            Some(("reply" | "take", conversation)) => Self::Reply { conversation, over },
            _ => Self::Begin,
        })
    }
}
