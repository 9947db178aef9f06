//! A text by its key: what is said, before it is known in which language.

use std::borrow::Cow;

/// A text to be rendered in the person's language, or taken as it stands if there is no such key.
///
/// What is written in the program (`&'static str`) is a key; what is put together while it runs (`String`) never is, so that
/// nobody's name is taken for one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    pub(crate) key: Cow<'static, str>,
    pub(crate) literal: bool,
    pub(crate) args: Vec<(&'static str, Arg)>,
}

/// Something a text mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// As it stands; a language may not inflect it.
    Word(String),
    /// A number; plural rules apply.
    Number(i64),
    /// Another text, rendered first.
    Text(Text),
}

impl Text {
    /// Puts a value into the text.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Arg>) -> Self {
        self.args.push((name, value.into()));
        self
    }

    /// The text of a key that is put together while the program runs.
    pub fn of_key(key: String) -> Self {
        Self { key: key.into(), ..Self::default() }
    }

    /// The key, for tests and logs.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// A text by its key.
pub fn text(key: impl Into<Text>) -> Text {
    key.into()
}

impl From<&'static str> for Text {
    fn from(key: &'static str) -> Self {
        Self { key: key.into(), ..Self::default() }
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self { key: words.into(), literal: true, ..Self::default() }
    }
}

impl From<&str> for Arg {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl From<String> for Arg {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for Arg {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for Arg {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Arg {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<Text> for Arg {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}
