//! What a person did, reduced to what a dialogue can use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a person did, or what happened to their dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Typed something that is no command.
    Text(String),
    /// Typed `/name` or `/name argument`.
    Command(Command),
    /// Sent a photo.
    Photo(Photo),
    /// Shared a contact.
    Contact(Contact),
    /// Pressed a button that carries this data. The engine turns it into one of the next two; only a flow that finds what was lost
    /// meets it as it is.
    Press(String),
    /// Pressed a choice of the current prompt.
    Choice(String),
    /// Came by a link to this flow, with an argument.
    Link(String),
    /// Changed a message sent earlier. Never an answer.
    Edited,
    /// Sent something else: the word says what.
    Other(&'static str),
    /// A record of an earlier step was refused.
    Refused(Refusal),
    /// The dialogue's time came.
    Timer,
    /// An operator frees the person.
    Reset,
    /// An operator has the person forgotten.
    Forget,
}

/// A record that was refused: someone else was first, or the rules forbid it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The flow whose step it was.
    pub flow: String,
    /// Why, in a word the flow knows; empty if it could not be done at all.
    pub reason: String,
    /// The command.
    pub command: Value,
}

/// A command such as `/start ref_42`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Without the slash and the bot's name, in lower case.
    pub name: String,
    /// What follows, trimmed; often empty.
    pub arg: String,
}

impl Command {
    /// Reads a command and the bot it is addressed to, if it names one.
    pub fn parse(text: &str) -> Option<(Self, Option<&str>)> {
        let rest = text.strip_prefix('/')?;
        let (word, arg) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (name, bot) =
            word.split_once('@').map_or((word, None), |(name, bot)| (name, Some(bot)));
        let is_name = !name.is_empty()
            && name.len() <= 32
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then(|| {
            let command = Self {
                name: name.to_ascii_lowercase(),
                // No database takes it, and nobody can type it.
                arg: arg.trim().replace('\0', ""),
            };
            (command, bot)
        })
    }
}

/// A photo, by the id of its largest size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Photo {
    /// For sending it again.
    pub file_id: String,
    /// The album it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub album: Option<String>,
    /// What was written with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// A shared contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// As Telegram gives it; may lack the plus sign.
    pub phone: String,
    /// It is the sender's own, by Telegram's word.
    pub own: bool,
}

impl Input {
    /// A word for logs and metrics; never what was written.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Command(_) => "command",
            Self::Photo(_) => "photo",
            Self::Contact(_) => "contact",
            Self::Press(_) => "press",
            Self::Choice(_) => "choice",
            Self::Link(_) => "link",
            Self::Edited => "edited",
            Self::Other(word) => word,
            Self::Refused(_) => "refused",
            Self::Timer => "timer",
            Self::Reset => "reset",
            Self::Forget => "forget",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, arg: &str) -> Command {
        Command { name: name.into(), arg: arg.into() }
    }

    #[test]
    fn a_command_has_a_name_and_maybe_an_argument() {
        assert_eq!(Command::parse("/start"), Some((command("start", ""), None)));
        assert_eq!(Command::parse("/Start  ref_42 "), Some((command("start", "ref_42"), None)));
        assert_eq!(Command::parse("/start\nx"), Some((command("start", "x"), None)));
    }

    #[test]
    fn a_command_may_name_its_bot() {
        assert_eq!(
            Command::parse("/report@shop_bot 5"),
            Some((command("report", "5"), Some("shop_bot")))
        );
    }

    #[test]
    fn other_texts_are_no_commands() {
        for text in ["", "/", "start", "/ start", "/день", "//x", "/a-b", "1/2"] {
            assert_eq!(Command::parse(text), None, "{text}");
        }
    }
}
