//! What a flow decides: where the dialogue goes and what that causes.

use serde::Serialize;
use serde_json::Value;

use super::prompt::{Prompt, say};
use super::text::Text;

/// The answer to an answer: a step, or a hint that leaves everything as it was.
pub type Answer<S> = Result<Step<S>, Hint>;

/// Where the dialogue goes and what that causes, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<S> {
    /// Where it goes.
    pub next: Next<S>,
    /// What it causes, before the next question is asked.
    pub deeds: Vec<Deed>,
}

/// Where a dialogue goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<S> {
    /// To this state, which asks its question.
    Goto(S),
    /// To this state, without asking: something was noted.
    Keep(S),
    /// To its end.
    Done,
    /// Aside, to be gone on with later.
    Park(S),
    /// Aside, while another flow is opened with an argument.
    Open {
        /// The state to come back to.
        park: S,
        /// The other flow.
        flow: &'static str,
        /// What it finds as [`super::Input::Link`].
        arg: String,
    },
}

/// Something a step causes besides moving on.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Say something here.
    Say(Prompt),
    /// Say something in another chat.
    Tell {
        /// Which.
        chat: i64,
        /// The language of whoever reads it; empty for the one for everybody.
        language: String,
        /// What.
        prompt: Prompt,
    },
    /// Take back a message that was named.
    Delete(String),
    /// Show that an answer is on its way.
    Typing,
    /// Write a business record.
    Record(Value),
    /// Speak this language with the person from now on.
    Speak(String),
}

/// Tells what would have been a good answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint(pub Text);

/// A hint.
pub fn hint(text: impl Into<Text>) -> Hint {
    Hint(text.into())
}

/// On to the next state, which asks its question.
pub fn goto<S>(state: S) -> Step<S> {
    next(Next::Goto(state))
}

/// On in silence.
pub fn keep<S>(state: S) -> Step<S> {
    next(Next::Keep(state))
}

/// The end of the dialogue.
pub fn done<S>() -> Step<S> {
    next(Next::Done)
}

/// Put aside; the person may come back to it.
pub fn park<S>(state: S) -> Step<S> {
    next(Next::Park(state))
}

/// Put aside for another flow, whose end offers to come back.
pub fn open<S>(park: S, flow: &'static str, arg: impl Into<String>) -> Step<S> {
    next(Next::Open { park, flow, arg: arg.into() })
}

fn next<S>(next: Next<S>) -> Step<S> {
    Step { next, deeds: Vec::new() }
}

impl<S> Step<S> {
    /// Says something here.
    #[must_use]
    pub fn say(self, text: impl Into<Text>) -> Self {
        self.prompt(say(text))
    }

    /// Says something here, with buttons.
    #[must_use]
    pub fn prompt(self, prompt: Prompt) -> Self {
        self.deed(Deed::Say(prompt))
    }

    /// Says something in another chat, in the language for everybody.
    #[must_use]
    pub fn tell(self, chat: i64, prompt: Prompt) -> Self {
        self.tell_in("", chat, prompt)
    }

    /// Says something in another chat, in the language of whoever reads it: the records know it by the read `language`.
    #[must_use]
    pub fn tell_in(self, language: impl Into<String>, chat: i64, prompt: Prompt) -> Self {
        let language = language.into();
        self.deed(Deed::Tell { chat, language, prompt })
    }

    /// Writes a business record.
    ///
    /// # Panics
    /// When the command cannot be written as JSON, which plain data always can.
    #[must_use]
    pub fn record(self, command: impl Serialize) -> Self {
        let value = serde_json::to_value(command).expect("a record command is plain data");
        self.deed(Deed::Record(value))
    }

    /// Takes back the message of this name.
    #[must_use]
    pub fn delete(self, name: impl Into<String>) -> Self {
        self.deed(Deed::Delete(name.into()))
    }

    /// Shows that an answer is on its way.
    #[must_use]
    pub fn typing(self) -> Self {
        self.deed(Deed::Typing)
    }

    /// Speaks this language with the person from now on, whatever their app is set to.
    #[must_use]
    pub fn speak(self, language: impl Into<String>) -> Self {
        self.deed(Deed::Speak(language.into()))
    }

    fn deed(mut self, deed: Deed) -> Self {
        self.deeds.push(deed);
        self
    }
}
