//! What people do with the bot, again and again. To add a dialogue: its function, a line in [`SCRIPTS`].

use std::pin::Pin;

use crate::support::chain_bot::{ADD, shown};
use crate::support::coupon_bot::{looked_at, yours};
use crate::support::world::{ASKED, thanks};

use super::checker::{Expected, Way};
use super::person::{Person, Unheard};

/// A phone number as people type it, and as it is kept.
pub(super) const TYPED_PHONE: &str = "8 912 345-67-89";
pub(super) const PHONE: &str = "+79123456789";
/// Where every client lives.
pub(super) const ADDRESS: &str = "Lenin St. 5";

/// One play of a dialogue, from its beginning to its end.
type Play<'a> = Pin<Box<dyn Future<Output = Result<(), Unheard>> + Send + 'a>>;

/// Something that people do.
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) play: for<'a> fn(&'a mut Person) -> Play<'a>,
}

/// Everything that is done in dialogues whose replies are known beforehand. Each leaves the person where it found them: idle.
pub(super) const SCRIPTS: &[Script] = &[
    Script { name: "a photo and its caption", play: |person| Box::pin(caption(person)) },
    Script { name: "a photo with its caption", play: |person| Box::pin(captioned(person)) },
    Script {
        name: "a photo without a caption, by a button",
        play: |person| Box::pin(no_caption(person)),
    },
    Script { name: "a photo, and /cancel", play: |person| Box::pin(cancelled(person)) },
    Script { name: "an album and its caption", play: |person| Box::pin(album(person)) },
    Script { name: "an introduction", play: |person| Box::pin(introduction(person)) },
];

async fn caption(person: &mut Person) -> Result<(), Unheard> {
    person.sends_photo(None);
    person.hears(ASKED).await?;
    person.thinks().await;
    let words = person.words();
    person.writes(&words);
    person.hears(thanks(&words)).await
}

async fn captioned(person: &mut Person) -> Result<(), Unheard> {
    let words = person.words();
    person.sends_photo(Some(&words));
    person.hears(thanks(&words)).await
}

async fn no_caption(person: &mut Person) -> Result<(), Unheard> {
    person.writes("/photo");
    person.hears("Please send me a photo.").await?;
    person.thinks().await;
    person.sends_photo(None);
    person.hears(ASKED).await?;
    person.thinks().await;
    person.presses("No caption");
    person.hears("Thank you! A photo without a caption.").await
}

async fn cancelled(person: &mut Person) -> Result<(), Unheard> {
    person.sends_photo(None);
    person.hears(ASKED).await?;
    person.thinks().await;
    person.writes("/cancel");
    person.hears("Cancelled: 📷 Photo.").await
}

/// Parts may come so late that they are not yet counted in the question, but they are in the answer.
async fn album(person: &mut Person) -> Result<(), Unheard> {
    const PARTS: usize = 3;
    person.sends_album(PARTS);
    let mut questions = vec![ASKED.to_owned()];
    questions.extend((2..=PARTS).map(|count| format!("{count} photos. {ASKED}")));
    person.hears(Expected(questions)).await?;
    person.thinks().await;
    let words = person.words();
    person.writes(&words);
    let thanks = format!("Thank you! {PARTS} photos: “{words}”.");
    person.hears(thanks).await
}

/// Seven questions, each of whose answers is written down, and all of it at the end.
pub(super) async fn introduction(person: &mut Person) -> Result<(), Unheard> {
    let [name, town, about] = [(); 3].map(|()| person.words());
    person.writes("/onboarding");
    person.hears("(1/7) What is your full name?").await?;
    person.writes(&name);
    let phone = "(2/7) What is your phone number? Type it, or share it with the button below.";
    person.hears(phone).await?;
    person.thinks().await;
    person.writes(TYPED_PHONE);
    person.hears("(3/7) Which town do you live in?").await?;
    person.writes(&town);
    let trade = "(4/7) What do you do? Press a button, or type it.";
    person.hears(trade).await?;
    person.presses("Plumber");
    person.hears("(5/7) For how many years?").await?;
    person.thinks().await;
    person.writes("7");
    person.hears("(6/7) Do you have a car?").await?;
    person.presses("Yes");
    let more = "(7/7) Is there anything else that we should know?";
    person.hears(more).await?;
    person.writes(&about);
    let summary = format!(
        "Is everything right?\n\n👤 {name}\n📱 {PHONE}\n🏙 {town}\n🛠 Plumber, 7 years\n🚗 Yes\n📝 {about}"
    );
    person.hears(summary).await?;
    person.thinks().await;
    person.presses("✅ Everything is right");
    person.hears(format!("Thank you, {name}! Now we know you.")).await
}

/// Takes a coupon and looks at it.
pub(super) async fn coupon(person: &mut Person) -> Result<(), Unheard> {
    let code = person.words();
    person.writes(&format!("/take {code}"));
    person.writes(&format!("/look {code}"));
    person.hears(yours(&code)).await?;
    person.hears(looked_at(&code, true)).await
}

/// Begins a chain.
pub(super) async fn chain(person: &mut Person) -> Result<(), Unheard> {
    person.writes("/chain");
    person.hears(shown(0, "", "")).await
}

/// Adds links: several in a row without waiting, by a button, or both at the same instant.
pub(super) async fn links(person: &mut Person) -> Result<(), Unheard> {
    match rand::random_range(0..4) {
        0 => {
            let burst = rand::random_range(2..5);
            for _ in 0..burst {
                let words = person.words();
                let update = person.writes(&words);
                person.notes(update, Way::Words, &words);
            }
            for _ in 0..burst {
                person.hears_something().await?;
            }
            Ok(())
        }
        1 => {
            let item = format!("press-{}", person.links());
            let update = person.presses(ADD);
            person.notes(update, Way::Press, &item);
            person.hears_something().await.map(drop)
        }
        2 => {
            let (item, words) = (format!("press-{}", person.links()), person.words());
            let [written, pressed] = person.writes_and_presses(&words, ADD);
            person.notes(written, Way::Words, &words);
            person.notes(pressed, Way::RacingPress, &item);
            one_more(person).await
        }
        _ => one_more(person).await,
    }
}

/// Writes once more and waits for the reply to that, however many come before it.
async fn one_more(person: &mut Person) -> Result<(), Unheard> {
    let words = person.words();
    let update = person.writes(&words);
    person.notes(update, Way::Words, &words);
    while !person.hears_something().await?.ends_with(&words) {}
    Ok(())
}
