//! What the sources say: every key they name is a text, and what people read is in no source.

use std::path::{Path, PathBuf};

use crate::flows;

/// A string as it stands in a source: what comes before it on its line, and itself.
struct Saying {
    file: PathBuf,
    before: String,
    words: String,
}

impl Saying {
    /// Whether it looks like the key of a text.
    fn is_key(&self) -> bool {
        let mut parts = self.words.split('-');
        let is_word = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let begins = self.words.starts_with(|c: char| c.is_ascii_lowercase());
        begins && self.words.contains('-') && parts.all(is_word)
    }

    /// Whether it is handed to one of these.
    fn is_for(&self, calls: &[&str]) -> bool {
        calls.iter().any(|call| self.before.ends_with(call))
    }
}

/// Every string of these sources but for their tests and comments.
fn sayings() -> Vec<Saying> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/flows"), &mut files);
    assert!(files.len() > 5, "the sources are there");
    files.iter().flat_map(|file| strings(file)).collect()
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_test = ["tests", "tests.rs", "sayings.rs", "states.rs", "doors.rs"]
            .iter()
            .any(|name| path.ends_with(name));
        match path.extension() {
            _ if is_test => {}
            None => sources(&path, files),
            Some(kind) if kind == "rs" => files.push(path),
            Some(_) => {}
        }
    }
}

fn strings(file: &Path) -> Vec<Saying> {
    let source = std::fs::read_to_string(file).expect("a source");
    let (code, _) = source.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&source, ""));
    let lines = code.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.starts_with('#')
    });
    let code: String = lines.map(|line| line.trim_start()).collect();
    let parts: Vec<&str> = code.split('"').collect();
    let pairs = parts.chunks_exact(2);
    pairs
        .map(|pair| Saying {
            file: file.to_owned(),
            before: pair[0].to_owned(),
            words: pair[1].to_owned(),
        })
        .collect()
}

#[test]
fn every_key_that_a_flow_names_is_a_text() {
    let texts = flows::texts();
    let all = include_str!("../texts/en.ftl");
    for saying in sayings().iter().filter(|saying| saying.is_key()) {
        let Saying { file, words, .. } = saying;
        // The name of a message is no key; the beginning of one is completed while the program runs.
        let is_name = saying.is_for(&["named(", "refreshes(", "in_place("]);
        let is_beginning = saying.is_for(&["key("]) && all.contains(&format!("\n{words}-"));
        assert!(
            is_name || is_beginning || texts.has(words),
            "{}: no text is called `{words}`",
            file.display()
        );
    }
}

/// Also what does not look like a key: it would be said as it stands, in every language.
#[test]
fn whatever_is_said_or_asked_or_stands_on_a_button_is_a_text() {
    let texts = flows::texts();
    let calls = [
        "say(",
        "text(",
        "hint(",
        "toast(",
        "menu(",
        "choice(",
        "link(",
        "offer(",
        "asks_contact(",
    ];
    let named = sayings();
    let named: Vec<_> = named.iter().filter(|it| it.is_for(&calls)).collect();
    assert!(named.len() > 100, "the bot speaks");
    for Saying { file, words, .. } in named {
        let file = file.display();
        assert!(texts.has(words), "{file}: no text is called `{words}`");
    }
}

/// What is written in a source is for programs: keys, names, arguments of links, and what a broken build would say when it panics.
#[test]
fn nothing_that_people_read_is_in_a_source() {
    for saying in sayings() {
        let Saying { file, words, .. } = &saying;
        let is_for_programs = words.chars().all(|c| c.is_ascii() && !c.is_ascii_uppercase());
        let is_zone = jiff::tz::TimeZone::get(words).is_ok();
        assert!(
            is_for_programs || is_zone || saying.is_for(&["expect("]),
            "{}: `{words}` belongs into the texts",
            file.display()
        );
    }
}
