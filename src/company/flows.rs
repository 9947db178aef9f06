//! The dialogues of the bot, one file each. Adding one: its file, a line in [`all`], its texts.

use std::sync::OnceLock;
use std::time::Duration;

use crate::company::Retention;
use crate::dialogue::{Edges, Repertoire, Text, Texts};

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
const EDGES: &str = include_str!("flows/edges.txt");

/// Those at the desk, as a wish to read colleagues names them: dispatchers, or the owners where there is none.
const DESK_ROLES: &str = "dispatcher,owner";

/// Everything the bot can do.
pub fn all() -> Repertoire {
    Repertoire::new(texts())
        .with::<photo::PhotoFlow>()
        .with::<order::OrderFlow>()
        .with::<orders::OrdersFlow>()
        .with::<report::ReportFlow>()
        .with::<support::SupportFlow>()
        .with::<shift::ShiftFlow>()
        .with::<manage::ManageFlow>()
        .with::<invite::InviteFlow>()
        .with::<join::JoinFlow>()
        .with::<onboarding::OnboardingFlow>()
        .with::<privacy::PrivacyFlow>()
        .with::<language::LanguageFlow>()
}

/// The same bot in a company that downloads the photos of finished tasks: whoever asks what is kept of them hears of it.
#[must_use]
pub fn keeping_photos(bot: Repertoire) -> Repertoire {
    let kept = "privacy-photos = { privacy-photos-kept }\n";
    ["en", "ru"].into_iter().fold(bot, |bot, language| bot.texts(language, kept))
}

/// The same bot in a company that keeps photos and phone numbers for these times: whoever asks how long hears it.
#[must_use]
pub fn keeping_for(bot: Repertoire, retention: &Retention) -> Repertoire {
    let told = |time: Option<Duration>| match time {
        Some(time) => format!("-privacy-days(days: {})", time.as_secs().div_ceil(86_400)),
        None => "privacy-for-good".to_owned(),
    };
    let (photos, phones) = (told(retention.photos), told(retention.phones));
    let times =
        format!("privacy-photos-for = {{ {photos} }}\nprivacy-phones-for = {{ {phones} }}\n");
    ["en", "ru"].into_iter().fold(bot, |bot, language| bot.texts(language, &times))
}

/// The same bot in a company that counts in the money of this sign.
#[must_use]
pub fn in_currency(bot: Repertoire, sign: &str) -> Repertoire {
    let currency = currency(sign);
    ["en", "ru"].into_iter().fold(bot, |bot, language| bot.texts(language, &currency))
}

/// The text that stands behind each amount.
pub(super) fn currency(sign: &str) -> String {
    let sign = sign.replace('\\', "\\\\").replace('"', "\\\"");
    let space = if sign.is_empty() { "" } else { "\u{a0}" };
    format!("currency = {{ \"{space}{sign}\" }}\n")
}

/// What the bot says. English is for everybody whose language it does not speak.
pub fn texts() -> Texts {
    Texts::default()
        .with("en", include_str!("flows/i18n/en.ftl"))
        .with("ru", include_str!("flows/i18n/ru.ftl"))
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
        let (en, ru) = (include_str!("flows/i18n/en.ftl"), include_str!("flows/i18n/ru.ftl"));
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
        for source in [include_str!("flows/i18n/en.ftl"), include_str!("flows/i18n/ru.ftl")] {
            let mut seen = BTreeSet::new();
            let keys = source.lines().filter_map(|line| line.split_once(" ="));
            let keys = keys.filter(|(key, _)| key.starts_with(|c: char| c.is_ascii_lowercase()));
            let twice: Vec<_> = keys.filter(|(key, _)| !seen.insert(*key)).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
    }
}
