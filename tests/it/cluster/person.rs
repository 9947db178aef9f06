//! Somebody who speaks with the bot: does something, and waits for what they expect to hear.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::emulator::{Pressed, Pressing, Sending, State};
use tokio::time::sleep;

use crate::support::updates::NAME;

use super::checker::{Expected, Said, Way};
use super::entries::Entry;
use super::telegram::{Hearing, Telegram};

/// How long somebody waits for a reply before they give up, which is a failure.
const PATIENCE: Duration = Duration::from_secs(100);

/// What goes wrong with the delivery of some updates, as it does with Telegram: one in so many is sent twice at once, or is
/// acknowledged in vain and sent again.
const SPOILED: [(&str, u32); 2] = [("twice", 20), ("drop_ack", 40)];
/// One in so many is sent once more when it was answered long ago.
const AGAIN: u32 = 30;

/// What all words hold that people make up, so that none of them is in a log unnoticed.
pub(super) const WHISPER: &str = "whispered";

/// A reply did not come.
#[derive(Debug)]
pub(super) struct Unheard;

/// Somebody, what they did, and what they expect to hear.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) id: i64,
    /// What others call them.
    pub(super) name: String,
    pub(super) expected: Vec<Expected>,
    /// What became links of their chain, if they have one.
    pub(super) said: Vec<Said>,
    /// What they know to be written, beside what single replies tell.
    pub(super) written: Vec<Entry>,
    /// Every update they caused.
    pub(super) updates: Vec<i64>,
    /// How many messages they have heard.
    heard: usize,
    /// Counts what they do, so that no two things they say are the same.
    count: u64,
    telegram: Arc<Telegram>,
    hearing: Arc<Hearing>,
}

impl Person {
    /// Somebody new.
    pub(super) fn new(telegram: &Arc<Telegram>) -> Self {
        Self::called(telegram, NAME)
    }

    /// Somebody new, whom others call so.
    pub(super) fn called(telegram: &Arc<Telegram>, name: &str) -> Self {
        let (id, hearing) = telegram.person(name);
        Self {
            id,
            name: name.to_owned(),
            expected: Vec::new(),
            said: Vec::new(),
            written: Vec::new(),
            updates: Vec::new(),
            heard: 0,
            count: 0,
            telegram: Arc::clone(telegram),
            hearing,
        }
    }

    /// Words that they have not used before.
    pub(super) fn words(&mut self) -> String {
        self.count += 1;
        format!("{}{}", words_of(self.id), self.count)
    }

    /// Writes something; answers the update.
    pub(super) fn writes(&mut self, text: &str) -> i64 {
        self.sends(&Sending::text(self.id, text))
    }

    /// Sends a photo; answers the update.
    pub(super) fn sends_photo(&mut self, caption: Option<&str>) -> i64 {
        self.sends(&Sending {
            from: self.id,
            photo: Some(json!(true)),
            caption: caption.map(str::to_owned),
            ..Sending::default()
        })
    }

    /// Sends a photo; answers what the file is known by.
    pub(super) fn sends_proof(&mut self) -> String {
        let update = self.sends_photo(None);
        self.telegram.photo(update)
    }

    /// Sends an album of so many.
    pub(super) fn sends_album(&mut self, parts: usize) {
        self.sends(&Sending {
            from: self.id,
            album: Some(vec![json!(true); parts]),
            ..Sending::default()
        });
    }

    /// Presses the button with this label under what they have heard last, else the newest one; answers the update.
    pub(super) fn presses(&mut self, label: &str) -> i64 {
        let here = self.presses_here(label);
        let pressed = here.or_else(|| self.presses_by(&self.pressing(label)));
        pressed.expect("a button under a message")
    }

    /// Presses the button with this label under what they have heard last; nothing if it is not there any more, or something else
    /// has taken its place.
    pub(super) fn presses_here(&mut self, label: &str) -> Option<i64> {
        let here = self.pressing_here(label)?;
        self.presses_by(&here)
    }

    fn presses_by(&mut self, pressing: &Pressing) -> Option<i64> {
        let pressed = self.telegram.emulator.press(pressing).ok()?;
        let Pressed::Inline { update_id, .. } = pressed else {
            return None;
        };
        let update = update_id.expect("an update");
        self.updates.push(update);
        Some(update)
    }

    /// Writes and presses at the same instant; answers both updates.
    pub(super) fn writes_and_presses(&mut self, text: &str, label: &str) -> [i64; 2] {
        let pressing = self.pressing_here(label).expect("a button");
        let sending = Sending::text(self.id, text);
        let both = self.telegram.emulator.race(&sending, &pressing);
        let (sent, pressed) = both.expect("a message and a button");
        let Pressed::Inline { update_id: update, .. } = pressed else {
            panic!("{label} is not under a message");
        };
        let both = [sent.updates[0], update].map(|it| it.expect("an update"));
        self.updates.extend(both);
        both
    }

    /// A link of their chain.
    pub(super) fn notes(&mut self, update: i64, way: Way, item: &str) {
        self.said.push(Said { update, way, item: item.to_owned(), acknowledged: false });
    }

    /// Expects this next, and waits for it.
    pub(super) async fn hears(&mut self, expected: impl Into<Expected>) -> Result<(), Unheard> {
        self.expected.push(expected.into());
        self.hears_something().await.map(drop)
    }

    /// Waits for the next message, whatever it is.
    pub(super) async fn hears_something(&mut self) -> Result<String, Unheard> {
        self.heard += 1;
        let heard = self.hearing.until(self.heard, PATIENCE).await;
        if one_in(AGAIN) {
            self.is_sent_again();
        }
        heard.ok_or(Unheard)
    }

    /// How many links their chain has, as far as they have heard.
    pub(super) fn links(&self) -> usize {
        self.heard - 1
    }

    /// Thinks for a while.
    pub(super) async fn thinks(&self) {
        sleep(Duration::from_millis(rand::random_range(200..1200))).await;
    }

    /// Telegram sends their last update once more. Only what was taken: it never overtakes what comes before it.
    fn is_sent_again(&self) {
        let emulator = &self.telegram.emulator;
        let last = self.updates.last().and_then(|id| emulator.update(*id));
        if let Some(last) = last.filter(|it| it.state == State::Acknowledged) {
            let again = emulator.again(last.update_id, 1);
            again.expect("an update");
        }
    }

    /// By what the button carries, too: what came late may have put an older one of the same label there.
    fn pressing_here(&self, label: &str) -> Option<Pressing> {
        let (message, data) = self.hearing.button(self.heard, label)?;
        Some(Pressing { message_id: Some(message), data: Some(data), ..self.pressing(label) })
    }

    fn pressing(&self, label: &str) -> Pressing {
        Pressing {
            from: self.id,
            label: Some(label.to_owned()),
            fault: spoiled(),
            ..Pressing::default()
        }
    }

    fn sends(&mut self, sending: &Sending) -> i64 {
        let fault = spoiled();
        let sending = Sending { fault, ..sending.clone() };
        let sent = self.telegram.emulator.send(&sending).expect("a message");
        let updates: Vec<i64> = sent.updates.into_iter().flatten().collect();
        self.updates.extend(&updates);
        updates[0]
    }
}

/// What the words of this person begin with.
pub(super) fn words_of(id: i64) -> String {
    format!("{WHISPER}-{id}-")
}

fn spoiled() -> Option<Value> {
    let fault = SPOILED.iter().find(|(_, often)| one_in(*often));
    fault.map(|(name, _)| json!(name))
}

/// Whether it happens this time, which it does once in so many.
pub(super) fn one_in(often: u32) -> bool {
    rand::random_range(0..often) == 0
}
