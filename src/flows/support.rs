//! A person of the company asks, and those at the desk answer: what each writes is passed on to the other.
//!
//! ```text
//! /support                      → What would you like to ask?
//! Where is the key?             → I pass on what you write.   (every dispatcher: Anna: Where is the key?  [Reply])
//! ‹Reply›                       → You are talking with Anna.  [End the conversation] [Leave it for now]
//! Under the mat                 →                             (Anna: Ivan: Under the mat  [Write])
//! ‹End the conversation›        → The conversation has ended. (Anna: The conversation has ended.)
//! ```
//! The first to reply is the one who answers; others are told who does, and may take over. The conversation itself is a record: either side
//! may do other things in between, and goes on by a button or by answering a message that was passed on.

use super::DESK_ROLES;
use crate::records::order::DESK;
use crate::records::support::Conversation;
use crate::role::ROLES;
use steadfast::dialogue::prelude::*;

mod answering;
mod asking;
mod ending;
mod relay;
mod wish;

use answering::{answers, chosen, inbox, reply};
use asking::{asks_more, question, talk, whom};
use ending::{closed, paused, refused};
use relay::{answered, asked};
use wish::Wish;

/// A conversation, from either side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum SupportFlow {
    /// What a person wants to ask.
    Question,
    /// Whatever else they write.
    Talking {
        /// Which conversation.
        conversation: String,
    },
    /// Whom to answer.
    Inbox {
        /// The page of the list.
        page: usize,
    },
    /// What is written to whoever asked.
    Answering {
        /// Which conversation.
        conversation: String,
    },
}

impl Flow for SupportFlow {
    const NAME: &'static str = "support";
    const ROLES: &'static [Role] = ROLES;
    const HEARS_REPLIES: bool = true;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match Wish::of(turn)? {
            Wish::Begin => Some(begin(turn)),
            Wish::Talk(conversation) => Some(talk(turn, conversation)),
            Wish::Reply { conversation, over } => Some(reply(turn, conversation, over)),
            Wish::PassOn(_) => pass_on(turn),
            Wish::Refused(refusal) => refused(refusal, None),
        }
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match Wish::of(turn) {
            Some(Wish::Begin) => vec![read(Member::READ, ""), read("own_conversation", "")],
            Some(Wish::Talk(id) | Wish::Reply { conversation: id, .. }) => {
                vec![read("conversation", id)]
            }
            Some(Wish::PassOn(message)) => {
                vec![read("relayed", message.to_string()), read("other_colleagues", DESK_ROLES)]
            }
            Some(Wish::Refused(_)) | None => Vec::new(),
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        let end = choice("support-end", "end");
        let leave = choice("support-leave", "leave");
        match self {
            Self::Question => say("support-ask"),
            Self::Talking { .. } => say("support-talking").row([end]).row([leave]),
            Self::Inbox { page } => inbox(view, *page),
            Self::Answering { .. } => {
                let conversation: Option<Conversation> = view.read("conversation");
                let name = conversation.map(|it| it.person.called());
                let with = text("support-answering").with("name", name.unwrap_or_default());
                say(with).row([end]).row([leave])
            }
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return refused(refusal, Some(self)).ok_or_else(|| hint("apology"));
        }
        match self {
            Self::Question => question(turn),
            Self::Talking { conversation } => match &turn.input {
                Input::Choice(_) => Ok(closed(turn, conversation)),
                _ => asks_more(turn, conversation),
            },
            Self::Inbox { page } => chosen(turn, page),
            Self::Answering { conversation } => match &turn.input {
                Input::Choice(_) => Ok(closed(turn, conversation)),
                _ => answers(turn, conversation),
            },
        }
    }

    /// Anybody of the company may ask, but only those at the desk see what others asked.
    fn roles(&self) -> &'static [Role] {
        match self {
            Self::Question | Self::Talking { .. } => Self::ROLES,
            Self::Inbox { .. } | Self::Answering { .. } => DESK,
        }
    }

    fn back(self) -> Option<Self> {
        match self {
            Self::Answering { .. } => Some(Self::Inbox { page: 0 }),
            Self::Question | Self::Talking { .. } | Self::Inbox { .. } => None,
        }
    }

    fn reads(&self) -> Vec<Read> {
        let colleagues = read("other_colleagues", DESK_ROLES);
        match self {
            Self::Question => vec![colleagues],
            Self::Talking { conversation } => vec![read("conversation", conversation), colleagues],
            Self::Inbox { .. } => vec![read("conversations", ""), read(Member::READ, "")],
            Self::Answering { conversation } => vec![read("conversation", conversation)],
        }
    }

    /// A conversation that is under way reminds by its messages; what nobody has asked yet does not.
    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        match self {
            Self::Question => Some((Duration::from_secs(45 * 60), say("support-remind"))),
            Self::Talking { .. } | Self::Inbox { .. } | Self::Answering { .. } => None,
        }
    }

    /// The conversation is a record, and its buttons go on working.
    fn expire(self, _: &Context) -> Step<Self> {
        match self {
            Self::Talking { conversation } => paused("talk", &conversation),
            Self::Answering { conversation } => paused("reply", &conversation),
            Self::Question | Self::Inbox { .. } => done(),
        }
    }
}

/// Those at the desk find whom to answer; others ask, or go on with what they asked.
fn begin(turn: &Turn) -> Step<SupportFlow> {
    let member: Member = turn.read(Member::READ);
    let own: Option<Conversation> = turn.read("own_conversation");
    match own {
        _ if member.is_any_of(DESK) => goto(SupportFlow::Inbox { page: 0 }),
        Some(own) => goto(SupportFlow::Talking { conversation: own.id }),
        None => goto(SupportFlow::Question),
    }
}

/// A message that was passed on is answered.
fn pass_on(turn: &Turn) -> Option<Step<SupportFlow>> {
    let known: Conversation = turn.read::<Option<Conversation>>("relayed")?;
    Some(match known.is_open {
        false => done().say("support-ended"),
        true if known.person.id == turn.key.user => {
            let to = whom(turn, Some(&known));
            match to.is_empty() {
                true => done().say("support-nobody"),
                false => asked(done(), turn, &known.id, &to).say("support-passed"),
            }
        }
        true => answered(done(), turn, &known).say("support-passed"),
    })
}

impl SupportFlow {
    /// The conversation that this state is about.
    fn conversation(&self) -> Option<&str> {
        match self {
            Self::Talking { conversation } | Self::Answering { conversation } => Some(conversation),
            Self::Question | Self::Inbox { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
