//! What is kept of people, for how long, and whom to ask to be forgotten.
//!
//! ```text
//! /privacy                      → What I keep of you, and for how long: …
//! ```

use steadfast::dialogue::prelude::*;

/// What is kept of people. It is over at once, so it has no states to wait in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum PrivacyFlow {}

impl Flow for PrivacyFlow {
    const NAME: &'static str = "privacy";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| done().say("privacy"))
    }

    fn ask(&self, _: &Context) -> Prompt {
        match *self {}
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        match self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Company, Retention, flows};

    #[test]
    fn everybody_can_ask_what_is_kept_of_them_whatever_is_under_way() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.types("/privacy").at("idle").hears("What I keep of you").button("🏠 Main menu");
        chat.types("/photo").at("photo/shot");
        chat.types("/privacy").at("photo/shot").hears("48 hours");
        chat.types("/help").hears("/privacy").hears("/language");
    }

    #[test]
    fn it_is_told_in_russian_too() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.types("/language").presses("Русский");
        chat.types("/privacy").hears("48 часов");
    }

    #[test]
    fn everybody_hears_for_how_long_the_company_keeps_photos_and_numbers() {
        let days = |days: u64| Some(Duration::from_secs(days * 86_400));
        for (photos, phones, en, ru) in [
            (
                days(365),
                days(365),
                ["captions: for a year.", "numbers: for a year."],
                ["подписи: год.", "телефонов: год."],
            ),
            (
                None,
                days(30),
                ["captions: for good.", "numbers: for 30 days."],
                ["подписи: без ограничения срока.", "телефонов: 30 дней."],
            ),
            (
                days(1),
                None,
                ["captions: for a day.", "numbers: for good."],
                ["подписи: 1 день.", "телефонов: без ограничения срока."],
            ),
        ] {
            let retention = Retention { photos, phones, drafts: None };
            let bot = flows::of(&Company { retention, ..Company::default() });
            for (language, [of_photos, of_phones]) in [("en", en), ("ru", ru)] {
                let mut chat = TestChat::new(&bot, flows::edges()).in_language(language);
                chat.types("/privacy").hears(of_photos).hears(of_phones);
            }
        }
    }

    #[test]
    fn a_company_that_downloads_photos_says_so_and_for_how_long() {
        for (language, kept, for_how_long, not_kept) in [
            (
                "en",
                "downloaded",
                "Pictures, names and captions: for a year.",
                "not the pictures themselves",
            ),
            ("ru", "скачиваются", "Снимки, обозначения и подписи: год.", "не сами снимки"),
        ] {
            let says = |bot: &Repertoire, words: &str| {
                let mut chat = TestChat::new(bot, flows::edges()).in_language(language);
                chat.types("/privacy").hears(words).hears("Telegram");
            };
            says(&flows::of(&Company::default()), not_kept);
            let photos = Some(Duration::from_secs(365 * 86_400));
            let retention = Retention { photos, ..Retention::default() };
            let company = Company { media: Some("photos".into()), retention, ..Company::default() };
            says(&flows::of(&company), kept);
            says(&flows::of(&company), for_how_long);
        }
    }
}
