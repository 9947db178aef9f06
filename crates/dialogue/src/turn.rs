//! What a flow gets to see: the person, the time, what it asked to read, and what was done.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Person;
use super::input::{Contact, Input, Photo};
use super::step::{Hint, hint};
use super::text::{Text, text};
use crate::{DialogueKey, Millis};

/// What a question may depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// Whose dialogue it is.
    pub key: DialogueKey,
    /// Who is talking.
    pub person: Person,
    /// The time, by the store's clock.
    pub now: Millis,
    /// The name by which people find the bot; empty until it is known.
    pub bot: String,
    /// What was read for this turn.
    pub reads: Reads,
}

/// The [`Context`] of an answer, and the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The surroundings.
    pub view: Context,
    /// What was done.
    pub input: Input,
    /// The message that theirs answers, where it answers one.
    pub reply_to: Option<i32>,
    /// When it was done, where that is known.
    pub sent: Option<Millis>,
    /// The album whose parts this dialogue last took in: a late part is not a new photo.
    pub last_album: Option<String>,
    /// The flows of which a draft is put aside.
    pub drafts: Vec<String>,
    /// Nothing is kept of the dialogue: it is new, or it was lost.
    pub is_blank: bool,
    /// Differs from cause to cause and survives a re-run: fresh ids are made of it.
    pub stamp: String,
    /// As the stamp, but nobody can guess it: for what opens something to whoever has it.
    pub secret: String,
}

impl Deref for Turn {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.view
    }
}

/// Something to be read from the records before a step: a name and an argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// What.
    pub name: &'static str,
    /// Of what; may be empty.
    pub arg: String,
}

/// A wish to read something.
pub fn read(name: &'static str, arg: impl Into<String>) -> Read {
    Read { name, arg: arg.into() }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reads(BTreeMap<Read, Value>);

impl Reads {
    /// Adds what was read.
    pub fn insert(&mut self, read: Read, value: Value) {
        self.0.insert(read, value);
    }

    /// Whether this was read.
    pub fn has(&self, read: &Read) -> bool {
        self.0.contains_key(read)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Read> {
        self.0.keys()
    }

    pub(super) fn retain(&mut self, wanted: impl Fn(&Read) -> bool) {
        self.0.retain(|read, _| wanted(read));
    }
}

impl Context {
    /// Whether nobody else reads along.
    pub fn is_private(&self) -> bool {
        self.key.is_private()
    }

    /// What was read under this name.
    ///
    /// # Panics
    /// When the state did not name it in [`super::Flow::reads`], or it is of another type: the flow's own mistake, which its
    /// first test shows.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> T {
        let (_, value) = (self.reads.0.iter())
            .find(|(read, _)| read.name == name)
            .unwrap_or_else(|| panic!("`{name}` is read but not named in `reads`"));
        serde_json::from_value(value.clone())
            .unwrap_or_else(|_| panic!("`{name}` is not of the type asked for"))
    }
}

impl Turn {
    /// The text, trimmed, or the hint.
    pub fn text(&self, or: impl Into<Text>) -> Result<String, Hint> {
        match &self.input {
            Input::Text(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            _ => Err(hint(or)),
        }
    }

    /// The text, trimmed and of at most so many characters, or a hint. What no database keeps is left out of it.
    pub fn words(&self, most: usize, or: impl Into<Text>) -> Result<String, Hint> {
        let words = self.text(or)?.replace('\0', "");
        match words.chars().count() {
            count if count > most => Err(hint(text("too-long").with("max", most))),
            _ => Ok(words),
        }
    }

    /// The text as a value of some type, or the hint.
    pub fn parse<T: FromStr>(&self, or: impl Into<Text>) -> Result<T, Hint> {
        let or = or.into();
        self.text(or.clone())?.parse().map_err(|_| hint(or))
    }

    /// The value of the pressed choice, or the hint.
    pub fn choice(&self, or: impl Into<Text>) -> Result<&str, Hint> {
        match &self.input {
            Input::Choice(value) => Ok(value),
            _ => Err(hint(or)),
        }
    }

    /// The photo, or the hint.
    pub fn photo(&self, or: impl Into<Text>) -> Result<&Photo, Hint> {
        match &self.input {
            Input::Photo(photo) => Ok(photo),
            _ => Err(hint(or)),
        }
    }

    /// The contact, or the hint.
    pub fn contact(&self, or: impl Into<Text>) -> Result<&Contact, Hint> {
        match &self.input {
            Input::Contact(contact) => Ok(contact),
            _ => Err(hint(or)),
        }
    }

    /// Whether this is a further part of the album whose first part was answered.
    pub fn is_late(&self, part: &Photo) -> bool {
        part.album.is_some() && part.album == self.last_album
    }

    /// A name for something new that this turn makes: the same when it is run again, and nobody else's.
    pub fn fresh_id(&self) -> String {
        let DialogueKey { chat, user, .. } = self.key;
        let cause = format!("{chat}:{user}:{}", self.stamp);
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(cause.as_bytes()))
    }

    /// Whether this is how a flow usually begins: by the command of this name, or by a link to it.
    pub fn begins(&self, name: &str) -> bool {
        self.is_command(name) || matches!(self.input, Input::Link(_))
    }

    /// Whether it is this command.
    pub fn is_command(&self, name: &str) -> bool {
        matches!(&self.input, Input::Command(command) if command.name == name)
    }
}

/// A turn for a flow's tests: somebody did this, in a private chat, at some time.
impl From<Input> for Turn {
    fn from(input: Input) -> Self {
        let view = Context {
            key: DialogueKey { chat: 5001, user: 5001, topic: None },
            person: Person {
                username: String::new(),
                name: "Anna".to_owned(),
                language: "en".to_owned(),
                topic: None,
            },
            now: 1_760_000_000_000,
            bot: "steadfast_bot".to_owned(),
            reads: Reads::default(),
        };
        Self {
            view,
            input,
            reply_to: None,
            sent: None,
            last_album: None,
            drafts: Vec::new(),
            is_blank: false,
            stamp: "1.1760000000".to_owned(),
            secret: "unguessable".to_owned(),
        }
    }
}

/// A turn for a flow's tests: somebody typed this.
impl From<&str> for Turn {
    fn from(text: &str) -> Self {
        Input::Text(text.to_owned()).into()
    }
}
