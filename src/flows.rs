//! The dialogues of the bot, one file each. Adding one: its file, a line in [`crate::bot`], its texts.

use std::sync::OnceLock;
use std::time::Duration;

use crate::Company;
use steadfast::dialogue::{Edges, Repertoire, Text};

pub mod invite;
pub mod join;
pub mod language;
pub mod manage;
pub mod onboarding;
pub mod order;
pub mod orders;
pub mod photo;
pub mod privacy;
pub mod report;
pub mod shift;
#[cfg(test)]
mod states;
pub mod support;

#[cfg(test)]
mod doors;
#[cfg(test)]
mod sayings;

/// The transitions that the transcripts of these flows walk. Reviewed; `deploy/check.sh` compares it with what they walk.
pub(super) const EDGES: &str = include_str!("transitions.txt");

/// Those at the desk, as a wish to read colleagues names them: dispatchers, or the owners where there is none.
const DESK_ROLES: &str = "dispatcher,owner";

/// Returns the texts of the company, for tests.
#[cfg(test)]
pub(crate) fn texts() -> steadfast::dialogue::Texts {
    steadfast::dialogue::Texts::default()
        .with("en", include_str!("texts/en.ftl"))
        .with("ru", include_str!("texts/ru.ftl"))
}

/// Returns all flows with their texts, for tests.
pub fn all() -> Repertoire {
    crate::bot().repertoire()
}

/// Returns all flows with the texts for these settings, for tests.
#[cfg(test)]
fn of(company: &Company) -> Repertoire {
    crate::bot().repertoire_for(company)
}

/// Returns the texts that depend on the settings: the currency, and how long personal data is kept.
pub(super) fn texts_of_settings(company: &Company) -> Vec<(&'static str, String)> {
    let texts = currency(&company.currency) + &retention(company);
    vec![("en", texts.clone()), ("ru", texts)]
}

/// Returns the texts about personal data: whether photos are downloaded, and how long photos and phone numbers are kept.
fn retention(company: &Company) -> String {
    let time = |time: Option<Duration>| match time {
        Some(time) => format!("-privacy-days(days: {})", time.as_secs().div_ceil(86_400)),
        None => "privacy-for-good".to_owned(),
    };
    let (photos, phones) = (time(company.retention.photos), time(company.retention.phones));
    let times =
        format!("privacy-photos-for = {{ {photos} }}\nprivacy-phones-for = {{ {phones} }}\n");
    match company.media {
        Some(_) => format!("privacy-photos = {{ privacy-photos-kept }}\n{times}"),
        None => times,
    }
}

/// The text that stands behind each amount.
pub(super) fn currency(sign: &str) -> String {
    let sign = sign.replace('\\', "\\\\").replace('"', "\\\"");
    let space = if sign.is_empty() { "" } else { "\u{a0}" };
    format!("currency = {{ \"{space}{sign}\" }}\n")
}

/// The transitions known from transcripts.
///
/// # Panics
/// When the snapshot cannot be read, which a test would have shown.
pub fn edges() -> &'static Edges {
    static READ: OnceLock<Edges> = OnceLock::new();
    READ.get_or_init(|| Edges::read(EDGES).expect("the snapshot of edges can be read"))
}

/// What a role is called.
fn role(name: &str) -> Text {
    key("role", name)
}

/// The text of a key with a part that is known only while the program runs, such as the name of a field.
fn key(prefix: &str, name: &str) -> Text {
    Text::of_key(format!("{prefix}-{name}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    fn keys(source: &str) -> BTreeSet<(String, Vec<String>)> {
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        for line in source.lines() {
            let is_key = line.starts_with(|c: char| c.is_ascii_lowercase());
            if let Some((key, _)) = line.split_once(" =").filter(|_| is_key) {
                found.push((key.to_owned(), Vec::new()));
            }
            let Some((_, args)) = found.last_mut() else {
                continue;
            };
            let named = line
                .split('$')
                .skip(1)
                .map(|rest| rest.split([' ', '}']).next().unwrap_or_default().to_owned());
            args.extend(named);
            args.sort();
            args.dedup();
        }
        found.into_iter().collect()
    }

    #[test]
    fn every_language_says_the_same_things_about_the_same_things() {
        let (en, ru) = (include_str!("texts/en.ftl"), include_str!("texts/ru.ftl"));
        assert_eq!(keys(en), keys(ru));
    }

    #[test]
    fn the_snapshot_of_edges_names_each_once_in_order() {
        let lines: Vec<_> = super::EDGES.lines().collect();
        let sorted: BTreeSet<_> = lines.iter().copied().collect();
        assert_eq!(lines, sorted.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_said_twice() {
        for source in [include_str!("texts/en.ftl"), include_str!("texts/ru.ftl")] {
            let mut seen = BTreeSet::new();
            let keys = source.lines().filter_map(|line| line.split_once(" ="));
            let keys = keys.filter(|(key, _)| key.starts_with(|c: char| c.is_ascii_lowercase()));
            let twice: Vec<_> = keys.filter(|(key, _)| !seen.insert(*key)).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
    }
}
