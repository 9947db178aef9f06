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

use crate::dialogue::Refusal;
use crate::dialogue::prelude::*;
use crate::records::colleague::Colleague;
use crate::records::member::NOT_ALLOWED;
use crate::records::order::DESK;
use crate::records::support::{CLAIMED, Claim, Conversation, ENDED, EndConversation};
use crate::role::Member;

mod relay;

use relay::{answered, asked, is_passed_on};

/// Who hears of a question that nobody has claimed.
const ANSWERING: &str = "dispatcher,owner";

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
    const ROLES: &'static [Role] = &Role::ALL;
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
            Some(
                Wish::Talk(id)
                | Wish::Reply {
                    conversation: id, ..
                },
            ) => {
                vec![read("conversation", id)]
            }
            Some(Wish::PassOn(message)) => {
                vec![
                    read("relayed", message.to_string()),
                    read("colleagues", ANSWERING),
                ]
            }
            Some(Wish::Refused(_)) | None => Vec::new(),
        }
    }

    fn ask(&self, view: &View) -> Prompt {
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

    fn back(self) -> Option<Self> {
        match self {
            Self::Answering { .. } => Some(Self::Inbox { page: 0 }),
            Self::Question | Self::Talking { .. } | Self::Inbox { .. } => None,
        }
    }

    fn reads(&self) -> Vec<Read> {
        let colleagues = read("colleagues", ANSWERING);
        match self {
            Self::Question => vec![colleagues],
            Self::Talking { conversation } => vec![read("conversation", conversation), colleagues],
            Self::Inbox { .. } => vec![read("conversations", ""), read(Member::READ, "")],
            Self::Answering { conversation } => vec![read("conversation", conversation)],
        }
    }

    /// The conversation is a record, and its buttons go on working.
    fn expire(self, _: &View) -> Step<Self> {
        match self {
            Self::Talking { conversation } => paused("talk", &conversation),
            Self::Answering { conversation } => paused("reply", &conversation),
            Self::Question | Self::Inbox { .. } => done(),
        }
    }
}

/// How a conversation is begun or gone on with.
enum Wish<'a> {
    /// By the command or from the menu.
    Begin,
    /// By who asked, in this conversation.
    Talk(&'a str),
    /// By who answers.
    Reply { conversation: &'a str, over: bool },
    /// By answering this message, whatever else is asked.
    PassOn(i32),
    /// Something was refused.
    Refused(&'a Refusal),
}

impl<'a> Wish<'a> {
    fn of(turn: &'a Turn) -> Option<Self> {
        // Conversations are private; in groups people answer each other.
        let reply_to = turn.reply_to.filter(|_| turn.key.chat == turn.key.user);
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

/// Those at the desk find whom to answer; others ask, or go on with what they asked.
fn begin(turn: &Turn) -> Step<SupportFlow> {
    let member: Member = turn.read(Member::READ);
    let own: Option<Conversation> = turn.read("own_conversation");
    match own {
        _ if member.is_any_of(DESK) => goto(SupportFlow::Inbox { page: 0 }),
        Some(own) => goto(SupportFlow::Talking {
            conversation: own.id,
        }),
        None => goto(SupportFlow::Question),
    }
}

/// Who asked goes on, if it is theirs and goes on at all.
fn talk(turn: &Turn, id: &str) -> Step<SupportFlow> {
    let known: Option<Conversation> = turn.read("conversation");
    let own = known.filter(|it| it.person.id == turn.key.user && it.is_open);
    match own {
        Some(_) => goto(SupportFlow::Talking {
            conversation: id.to_owned(),
        }),
        None => goto(SupportFlow::Question).say("support-ended"),
    }
}

/// Who replies is the one who answers, unless somebody else was faster. Who was taken over from hears of it.
fn reply(turn: &Turn, id: &str, over: bool) -> Step<SupportFlow> {
    let known: Option<Conversation> = turn.read("conversation");
    let Some(known) = known.filter(|it| it.is_open) else {
        return done().say("support-ended");
    };
    let conversation = id.to_owned();
    let step = goto(SupportFlow::Answering {
        conversation: id.to_owned(),
    });
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

/// A message that was passed on is answered.
fn pass_on(turn: &Turn) -> Option<Step<SupportFlow>> {
    let known: Conversation = turn.read::<Option<Conversation>>("relayed")?;
    Some(match known.is_open {
        false => done().say("support-ended"),
        true if known.person.id == turn.key.user => {
            let to = whom(turn, Some(&known));
            asked(done(), turn, &known.id, &to).say("support-passed")
        }
        true => answered(done(), turn, &known).say("support-passed"),
    })
}

/// The first thing a person asks.
fn question(turn: &Turn) -> Answer<SupportFlow> {
    is_passed_on(turn)?;
    let to = whom(turn, None);
    if to.is_empty() {
        return Ok(done().say("support-nobody"));
    }
    let conversation = turn.stamp.clone();
    let step = goto(SupportFlow::Talking {
        conversation: conversation.clone(),
    });
    Ok(asked(step, turn, &conversation, &to))
}

/// Another thing. If the conversation has ended meanwhile, it is a new question.
fn asks_more(turn: &Turn, conversation: String) -> Answer<SupportFlow> {
    is_passed_on(turn)?;
    let known: Option<Conversation> = turn.read("conversation");
    let Some(known) = known.filter(|it| it.is_open) else {
        return question(turn);
    };
    let to = whom(turn, Some(&known));
    let step = keep(SupportFlow::Talking { conversation });
    Ok(asked(step, turn, &known.id, &to))
}

/// What is written to whoever asked.
fn answers(turn: &Turn, conversation: String) -> Answer<SupportFlow> {
    is_passed_on(turn)?;
    let known: Option<Conversation> = turn.read("conversation");
    let Some(known) = known.filter(|it| it.is_open) else {
        return Ok(done().say("support-ended"));
    };
    let step = keep(SupportFlow::Answering { conversation });
    Ok(answered(step, turn, &known))
}

/// Who hears what a person writes: the one who answers, else everybody who could.
fn whom(turn: &Turn, known: Option<&Conversation>) -> Vec<Colleague> {
    match known.and_then(|it| it.dispatcher.clone()) {
        Some(dispatcher) => vec![dispatcher],
        None => {
            let mut all: Vec<Colleague> = turn.read("colleagues");
            all.retain(|it| it.id != turn.key.user);
            all
        }
    }
}

/// One side has enough: for good, or for now.
fn closed(turn: &Turn, conversation: String) -> Step<SupportFlow> {
    if turn.input == Input::Choice("leave".to_owned()) {
        return done().say("support-left");
    }
    let known: Option<Conversation> = turn.read("conversation");
    let other = known.and_then(|it| match it.person.id == turn.key.user {
        true => it.dispatcher,
        false => Some(it.person),
    });
    let step = done()
        .record(EndConversation { conversation })
        .say("support-ended");
    match other {
        Some(other) => {
            let news = text("support-ended-by").with("name", &*turn.person.name);
            step.tell_in(other.language, other.id, say(news))
        }
        None => step,
    }
}

/// Nothing was written for a while: what is written from now on is not passed on by itself.
fn paused(verb: &str, conversation: &str) -> Step<SupportFlow> {
    let link = format!("{verb} {conversation}");
    done().prompt(say("support-paused").link("support-write", SupportFlow::NAME, link))
}

/// The conversations that wait. Who may ask as well finds how.
fn inbox(view: &View, page: usize) -> Prompt {
    let open: Vec<Conversation> = view.read("conversations");
    let heading = match open.is_empty() {
        true => text("support-inbox-empty"),
        false => text("support-inbox").with("count", open.len()),
    };
    let prompt = say(heading)
        .refreshes("support-inbox")
        .page(&open, page, |it| {
            let key = match it.dispatcher {
                Some(_) => "support-inbox-yours",
                None => "support-inbox-new",
            };
            choice(text(key).with("name", it.person.called()), &*it.id)
        });
    let member: Member = view.read(Member::READ);
    match member.is_any_of(&[Role::Worker, Role::Master]) {
        true => prompt.choice("support-ask-too", "ask"),
        false => prompt,
    }
}

/// The conversation that was pressed.
fn chosen(turn: &Turn, page: usize) -> Answer<SupportFlow> {
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
    let step = goto(SupportFlow::Answering {
        conversation: known.id,
    });
    Ok(step.record(Claim { conversation, over }))
}

/// It has ended, or somebody else answers. What is `live` in another conversation is left alone.
fn refused(refusal: &Refusal, live: Option<SupportFlow>) -> Option<Step<SupportFlow>> {
    let id = refusal.command["conversation"].as_str()?;
    let step = match live {
        Some(state) if state.conversation() != Some(id) => keep(state),
        _ => done(),
    };
    let (word, name) = refusal
        .reason
        .split_once(' ')
        .unwrap_or((&refusal.reason, ""));
    Some(match word {
        ENDED => step.say("support-ended"),
        CLAIMED => {
            let claimed = say(text("support-claimed").with("name", name));
            step.prompt(claimed.link("support-take-over", SupportFlow::NAME, format!("take {id}")))
        }
        NOT_ALLOWED => step.say("not-allowed"),
        _ => step.say("support-not-passed"),
    })
}

impl SupportFlow {
    fn conversation(&self) -> Option<&str> {
        match self {
            Self::Talking { conversation } | Self::Answering { conversation } => Some(conversation),
            Self::Question | Self::Inbox { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
