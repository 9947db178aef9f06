//! The texts of every language, from Fluent files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::Entry;
use unic_langid::LanguageIdentifier;

use super::markup;
use super::text::{Arg, Text};

/// The texts of the engine itself. English comes first, for the languages that it does not speak.
static ENGINE: LazyLock<Texts> = LazyLock::new(|| {
    Texts::default()
        .with("en", include_str!("../i18n/en.ftl"))
        .with("ru", include_str!("../i18n/ru.ftl"))
});

/// What is done to words that are put into a text.
type Word = fn(&str) -> String;

/// The texts of one language.
type Bundle = FluentBundle<FluentResource>;

/// The texts of a bot in each of its languages. The first language is for users whose language the bot does not speak.
///
/// A text of the engine's own, such as `menu`, need not be here: where the bot has none of its key, the engine's is said, in the
/// language of the user if the engine speaks it, else in English.
#[derive(Default)]
pub struct Texts {
    languages: Vec<(String, Bundle)>,
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

    /// Returns `true` if there is a text of this key for everybody: in the first language, or among those of the engine.
    pub fn has(&self, key: &str) -> bool {
        self.fallbacks("").any(|bundle| bundle.has_message(key))
    }

    /// The text in the best of the languages that have it, else its key as it stands: for buttons and toasts.
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
        let mut bundles = self.fallbacks(language);
        bundles
            .find_map(|bundle| self.say(bundle, text, language, word))
            .unwrap_or_else(|| text.key.to_string())
    }

    /// The bot's texts in this language, then in its first one, then the engine's likewise.
    fn fallbacks(&self, language: &str) -> impl Iterator<Item = &Bundle> {
        let primary = language.split(['-', '_']).next().unwrap_or_default();
        [self, &*ENGINE].into_iter().flat_map(move |texts| {
            let own = texts.languages.iter().find(move |(name, _)| name == primary);
            own.into_iter().chain(texts.languages.first()).map(|(_, bundle)| bundle)
        })
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

    fn value(&self, arg: &Arg, language: &str, word: Word) -> FluentValue<'static> {
        match arg {
            Arg::Word(words) => word(words).into(),
            Arg::Number(number) => (*number).into(),
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
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::{Path, PathBuf};

    use super::super::engine::help;
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
    fn text_falls_back_to_the_first_language_of_the_bot() {
        assert_eq!(texts().plain(&text("hello").with("name", "A"), "de"), "Hello, A!");
        assert_eq!(texts().plain(&text("only"), "ru"), "here");
    }

    #[test]
    fn text_of_the_bot_replaces_the_engines_in_every_language() {
        let texts = Texts::default().with("de", "home = Los");
        assert_eq!(["de", "en", "ru"].map(|own| texts.plain(&text("home"), own)), ["Los"; 3]);
    }

    #[test]
    fn text_falls_back_to_the_engines_language() {
        let texts = texts();
        assert_eq!(texts.plain(&text("menu"), "ru"), "Что вы хотите сделать?");
        assert_eq!(Texts::default().plain(&text("menu"), "ru-RU"), "Что вы хотите сделать?");
    }

    #[test]
    fn text_falls_back_to_the_engines_english() {
        for texts in [Texts::default(), Texts::default().with("de", "hello = Hallo")] {
            assert_eq!(texts.plain(&text("menu"), "de"), "What would you like to do?");
            assert_eq!(texts.plain(&text("menu"), ""), "What would you like to do?");
        }
    }

    #[test]
    fn argument_falls_back_on_its_own() {
        let texts = Texts::default().with("en", "menu-command = See all");
        assert!(texts.plain(&help(), "en").contains("/menu – See all\n"));
    }

    #[test]
    fn numbers_follow_plural_rules() {
        let photos = |n: usize| texts().plain(&text("photos").with("n", n), "ru");
        assert_eq!([photos(1), photos(3), photos(5)], ["1 снимок", "3 снимка", "5 снимков"]);
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

    /// The keys of this source, with the arguments of each.
    fn keys(source: &str) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut last = "";
        for line in source.lines().filter(|line| !line.starts_with('#')) {
            if let Some((key, _)) = line.split_once(" =").filter(|_| !line.starts_with(' ')) {
                last = key;
            }
            let named = line.split('$').skip(1).filter_map(|rest| rest.split([' ', '}']).next());
            found.entry(last).or_default().extend(named);
        }
        found
    }

    #[test]
    fn every_engine_text_has_both_languages_with_the_same_arguments() {
        let english = keys(include_str!("../i18n/en.ftl"));
        assert_eq!(english, keys(include_str!("../i18n/ru.ftl")));
        assert_eq!(english["cancelled"], BTreeSet::from(["what"]));
    }

    #[test]
    fn every_engine_text_is_one_that_the_sources_name() {
        let named: BTreeSet<String> = sources().iter().flat_map(|file| strings(file)).collect();
        for key in keys(include_str!("../i18n/en.ftl")).keys() {
            let name = key.strip_suffix("-command").unwrap_or(key);
            assert!(named.contains(name), "nothing says `{key}`");
        }
    }

    #[test]
    fn every_key_that_the_sources_say_is_a_text() {
        let calls = ["say(", "text(", "hint(", "toast(", "menu(", "button(", "way("];
        let texts = Texts::default();
        let mut said = 0;
        for file in sources() {
            let code = code(&file);
            let parts: Vec<&str> = code.split('"').collect();
            for pair in parts.chunks_exact(2) {
                let (before, words) = (pair[0], pair[1]);
                let is_key = words.contains('-')
                    && words.starts_with(|c: char| c.is_ascii_lowercase())
                    && words.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
                if is_key || calls.iter().any(|call| before.ends_with(call)) {
                    said += 1;
                    assert!(texts.has(words), "{}: no text is called `{words}`", file.display());
                }
            }
        }
        assert!(said > 25, "the engine speaks: {said}");
    }

    /// The sources of this crate.
    fn sources() -> Vec<PathBuf> {
        fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() && !path.ends_with("tests") {
                    walk(&path, files);
                } else if path.extension().is_some_and(|kind| kind == "rs") {
                    files.push(path);
                }
            }
        }
        let mut files = Vec::new();
        walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
        files
    }

    /// The source without its tests and comments.
    fn code(file: &Path) -> String {
        let source = std::fs::read_to_string(file).expect("a source");
        let (code, _) = source.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&source, ""));
        let lines = code.lines().map(str::trim_start);
        lines.filter(|line| !line.starts_with("//") && !line.starts_with('#')).collect()
    }

    fn strings(file: &Path) -> Vec<String> {
        code(file).split('"').skip(1).step_by(2).map(str::to_owned).collect()
    }
}
