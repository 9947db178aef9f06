//! The texts of every language, from Fluent files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::Entry;
use unic_langid::LanguageIdentifier;

use super::markup;
use super::text::{Arg, Text};
use crate::company::money::Money;

/// What is done to words that are put into a text.
type Word = fn(&str) -> String;

/// The texts of one language.
type Bundle = FluentBundle<FluentResource>;

/// What can be said, in every language there is. The first language is the one for everybody else.
#[derive(Default)]
pub struct Texts {
    languages: Vec<(String, Bundle)>,
    /// The sign of the money.
    currency: String,
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.languages.iter().map(|(name, _)| name)).finish()
    }
}

impl Texts {
    /// Adds texts in Fluent's syntax to a language such as `en`.
    ///
    /// # Panics
    /// When the source has errors: it is part of the program, and a test reads it.
    #[must_use]
    pub fn with(mut self, language: &str, source: &str) -> Self {
        let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(_, errors)| {
            panic!("the texts of `{language}` have errors: {errors:?}")
        });
        self.bundle(language).add_resource_overriding(resource);
        self
    }

    /// Counts in the money of this sign.
    #[must_use]
    pub fn in_currency(mut self, sign: &str) -> Self {
        sign.clone_into(&mut self.currency);
        self
    }

    /// Returns what is wrong with the texts of a bot: errors of syntax, and keys that one of its languages lacks.
    pub fn faults(sources: &[(&str, &str)]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut keys: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (language, source) in sources {
            match FluentResource::try_new((*source).to_owned()) {
                Ok(resource) => keys.entry(language).or_default().extend(messages(&resource)),
                Err((_, errors)) => {
                    faults.push(format!("the texts of `{language}` have errors: {errors:?}"));
                }
            }
        }
        let all: BTreeSet<&String> = keys.values().flatten().collect();
        for (language, own) in &keys {
            let lacking = all.iter().filter(|key| !own.contains(**key));
            faults.extend(lacking.map(|key| {
                format!(
                    "the texts of `{language}` lack `{key}`, which another language has: add it"
                )
            }));
        }
        faults
    }

    fn bundle(&mut self, language: &str) -> &mut Bundle {
        let at =
            self.languages.iter().position(|(name, _)| name == language).unwrap_or_else(|| {
                let id: LanguageIdentifier = language.parse().unwrap_or_default();
                let mut bundle = FluentBundle::new_concurrent(vec![id]);
                bundle.set_use_isolating(false);
                self.languages.push((language.to_owned(), bundle));
                self.languages.len() - 1
            });
        &mut self.languages[at].1
    }

    /// The languages there are, the one for everybody else first.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.languages.iter().map(|(name, _)| name.as_str())
    }

    /// Whether there is a text of this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        let first = self.languages.first();
        first.is_some_and(|(_, bundle)| bundle.has_message(key))
    }

    /// The text in this language, else in the first one, else its key as it stands: for buttons and toasts.
    pub fn plain(&self, text: &Text, language: &str) -> String {
        self.render(text, language, str::to_owned)
    }

    /// The same as Telegram's HTML: the texts may be marked up, whatever is put into them is escaped.
    pub fn markup(&self, text: &Text, language: &str) -> String {
        self.render(text, language, markup::escape)
    }

    fn render(&self, text: &Text, language: &str, word: Word) -> String {
        if text.literal {
            return word(&text.key);
        }
        let primary = language.split(['-', '_']).next().unwrap_or_default();
        let own = self.languages.iter().find(|(name, _)| name == primary);
        own.into_iter()
            .chain(self.languages.first())
            .find_map(|(_, bundle)| self.say(bundle, text, language, word))
            .unwrap_or_else(|| text.key.to_string())
    }

    fn say(&self, bundle: &Bundle, text: &Text, language: &str, word: Word) -> Option<String> {
        let pattern = bundle.get_message(&text.key)?.value()?;
        let mut args = FluentArgs::with_capacity(text.args.len());
        for (name, arg) in &text.args {
            args.set(*name, self.value(arg, language, word));
        }
        let said = bundle.format_pattern(pattern, Some(&args), &mut Vec::new());
        Some(said.into_owned())
    }

    /// As the language writes it: `1,234.50 ₽`, `1 234,50 ₽`. A line is never broken within it.
    fn amount(&self, amount: Money, language: &str) -> String {
        let mark = |key: &'static str| self.plain(&key.into(), language);
        let digits = amount.major().to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap_or_default())
            .collect();
        let sign = if amount < Money::ZERO { "−" } else { "" };
        let major = groups.join(&mark("number-group"));
        let point = mark("number-point");
        let amount = format!("{sign}{major}{point}{:02}\u{a0}{}", amount.minor(), self.currency);
        amount.trim_end().to_owned()
    }

    fn value(&self, arg: &Arg, language: &str, word: Word) -> FluentValue<'static> {
        match arg {
            Arg::Word(words) => word(words).into(),
            Arg::Number(number) => (*number).into(),
            Arg::Money(amount) => self.amount(*amount, language).into(),
            Arg::Text(text) => self.render(text, language, word).into(),
        }
    }
}

/// Returns the keys of the messages of a source.
fn messages(resource: &FluentResource) -> impl Iterator<Item = String> {
    resource.entries().filter_map(|entry| match entry {
        Entry::Message(message) => Some(message.id.name.to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::text::text;
    use super::*;

    fn texts() -> Texts {
        Texts::default()
            .with("en", "hello = Hello, { $name }!\nphotos = { $n ->\n    [one] a photo\n   *[other] { $n } photos\n }\nonly = here\n")
            .with("ru", "hello = Привет, { $name }!\nphotos = { $n ->\n    [one] { $n } снимок\n    [few] { $n } снимка\n   *[many] { $n } снимков\n }\n")
    }

    #[test]
    fn a_text_comes_in_the_persons_language() {
        let hello = text("hello").with("name", "Anna");
        assert_eq!(texts().plain(&hello, "ru"), "Привет, Anna!");
        assert_eq!(texts().plain(&hello, "en-GB"), "Hello, Anna!");
    }

    #[test]
    fn everybody_else_reads_the_first_language() {
        assert_eq!(texts().plain(&text("hello").with("name", "A"), "de"), "Hello, A!");
        assert_eq!(texts().plain(&text("only"), "ru"), "here");
    }

    #[test]
    fn numbers_follow_plural_rules() {
        let photos = |n: usize| texts().plain(&text("photos").with("n", n), "ru");
        assert_eq!([photos(1), photos(3), photos(5)], ["1 снимок", "3 снимка", "5 снимков"]);
    }

    #[test]
    fn money_is_written_as_the_language_writes_it() {
        let texts = Texts::default()
            .with("en", "number-group = ,\nnumber-point = .\npay = { $sum }")
            .with("ru", "number-group = { \"\u{a0}\" }\nnumber-point = { \",\" }\npay = { $sum }")
            .in_currency("₽");
        let pay = |minor| text("pay").with("sum", Money(minor));
        assert_eq!(texts.plain(&pay(123_456_789), "en"), "1,234,567.89\u{a0}₽");
        assert_eq!(texts.plain(&pay(-123_405), "ru"), "−1\u{a0}234,05\u{a0}₽");
        assert_eq!(texts.plain(&pay(44), "en"), "0.44\u{a0}₽");
    }

    #[test]
    fn what_a_person_wrote_is_never_taken_for_a_key() {
        assert_eq!(texts().plain(&text("only".to_owned()), "en"), "only");
    }

    #[test]
    fn a_persons_name_can_never_break_or_inject_formatting() {
        let texts = Texts::default().with("en", "hello = <b>Hello</b>, { $name }!");
        let hello = text("hello").with("name", "<i>Tom</i> & Co");
        assert_eq!(texts.markup(&hello, "en"), "<b>Hello</b>, &lt;i&gt;Tom&lt;/i&gt; &amp; Co!");
        assert_eq!(texts.markup(&text("<b>".to_owned()), "en"), "&lt;b&gt;");
        assert_eq!(texts.plain(&text("<b>".to_owned()), "en"), "<b>");
    }

    #[test]
    fn a_text_without_a_key_is_said_as_it_stands() {
        assert_eq!(texts().plain(&text("What is your name?"), "ru"), "What is your name?");
    }
}
