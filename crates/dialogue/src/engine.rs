//! One turn of a dialogue: what was done meets where the dialogue is.
//!
//! The order of things: global commands come before any state, so nobody is ever trapped; then buttons; then the waiting
//! flow; then whichever flow opens on it.

mod answer;
mod button;
mod clock;
mod command;
mod failure;
mod keys;
mod member;
mod menu;
mod route;
#[cfg(test)]
mod tests;
mod voice;
mod without;

pub(super) use command::GLOBAL;
#[cfg(test)]
pub(super) use command::help;
pub(super) use menu::MENU;

use super::edge::Passage;
use super::effect::Effect;
use super::erased::Stop;
use super::input::Input;
use super::repertoire::Repertoire;
use super::saved::Dialogue;
use super::text::Text;
use super::turn::{Read, Turn};
use crate::Millis;

/// The longest text that Telegram shows over a button.
const MAX_TOAST_CHARS: usize = 200;
/// No wait is longer: a hundred years. So a flow that means "for ever" overflows nothing.
const MAX_WAIT: Millis = 100 * 365 * 24 * 3_600_000;

/// Everything a turn depends on.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The dialogue as it stands.
    pub dialogue: Dialogue,
    /// What was done.
    pub turn: Turn,
    /// How to play it.
    pub how: How,
}

/// How a turn is to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum How {
    /// As the flows say.
    #[default]
    Play,
    /// What is to be read cannot be had: as far as it goes without. Where it does not, the reads are asked for once more.
    WithoutReads,
    /// It failed too often: by the error policy of the state, with an apology.
    GiveUp,
    /// Not even that worked: end the live flow without asking it.
    Clear,
    /// The state belongs to a newer build: tell the person, once, and leave it as it is.
    KeepForNewer,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The dialogue as it is now.
    pub dialogue: Dialogue,
    /// What it caused, in order.
    pub effects: Vec<Effect>,
    /// The transitions it went through.
    pub edges: Vec<Passage>,
    /// What to show the presser of a button; may be empty.
    pub toast: String,
    /// Whether there is anything to commit.
    pub changed: bool,
    /// Whether the person's app is set to another language than when they were last heard.
    pub in_other_language: bool,
}

/// Why a turn could not be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// This must be read first; then play again.
    Needs(Vec<Read>),
    /// The live flow's state was written by a newer build.
    Newer {
        /// The flow.
        flow: String,
        /// The schema it takes.
        schema: u32,
    },
}

impl Repertoire {
    /// Plays one turn. Pure: the same scene always comes to the same.
    pub fn play(&self, scene: Scene) -> Result<Played, Halt> {
        let how = scene.how;
        let mut play = Play::new(self, scene);
        match how {
            How::Play => play.run()?,
            How::WithoutReads => play.without_reads()?,
            How::GiveUp => play.give_up(),
            How::Clear => play.clear(),
            How::KeepForNewer => play.keep_for_newer(),
        }
        Ok(play.end())
    }
}

/// A turn in the making.
struct Play<'a> {
    flows: &'a Repertoire,
    turn: Turn,
    dialogue: Dialogue,
    before: Dialogue,
    /// Marks the buttons of what is asked in this turn.
    nonce: String,
    effects: Vec<Effect>,
    edges: Vec<Passage>,
    toast: Option<Text>,
    /// The language that the person's app is set to, whichever is spoken.
    language: String,
    /// The album that what was done is part of.
    album: Option<String>,
    /// How many flows have opened one another.
    hops: u32,
    /// A draft was offered: one offer a turn is enough.
    offered: bool,
}

impl<'a> Play<'a> {
    fn new(flows: &'a Repertoire, scene: Scene) -> Self {
        let Scene { dialogue, mut turn, .. } = scene;
        let person = &mut turn.view.person;
        if person.language.is_empty() {
            person.language.clone_from(&dialogue.lang);
        }
        let language = person.language.clone();
        if !dialogue.speaks.is_empty() {
            person.language.clone_from(&dialogue.speaks);
        }
        if person.name.is_empty() {
            person.topic = dialogue.topic;
        }
        turn.last_album.clone_from(&dialogue.album);
        let drafts = dialogue.parked.iter().map(|draft| draft.flow.clone());
        turn.drafts = drafts.collect();
        turn.is_blank = dialogue == Dialogue::default();
        let identity = &flows.identity;
        turn.secret = identity.word(&turn.stamp);
        if let Some(name) = identity.username.get() {
            turn.view.bot.clone_from(name);
        }
        let nonce = nonce(&turn.stamp);
        let album = match &turn.input {
            Input::Photo(photo) => photo.album.clone(),
            _ => None,
        };
        let before = dialogue.clone();
        let mut play = Self {
            flows,
            turn,
            dialogue,
            before,
            nonce,
            effects: Vec::new(),
            edges: Vec::new(),
            toast: None,
            language,
            album,
            hops: 0,
            offered: false,
        };
        play.recall_language();
        // What was recalled is nothing that this turn has done.
        play.before.clone_from(&play.dialogue);
        play
    }

    fn run(&mut self) -> Result<(), Halt> {
        match self.turn.input.clone() {
            Input::Edited => {
                self.edited();
                Ok(())
            }
            Input::Timer => self.timer(),
            Input::Reset => {
                self.reset();
                Ok(())
            }
            Input::Forget => {
                self.forget();
                Ok(())
            }
            Input::Command(command) => self.command(&command.name),
            Input::Press(data) => self.press(&data),
            Input::Refused(refusal) => self.refused(&refusal),
            _ => self.answer(),
        }
    }

    fn is_timer(&self) -> bool {
        self.turn.input == Input::Timer
    }

    fn end(mut self) -> Played {
        self.mind_keys();
        self.remember();
        let language = self.turn.view.person.language.clone();
        let toast = self
            .toast
            .as_ref()
            .map(|text| self.flows.texts.plain(text, &language))
            .unwrap_or_default();
        Played {
            changed: self.dialogue != self.before || !self.effects.is_empty(),
            in_other_language: self.language != self.before.lang,
            dialogue: self.dialogue,
            effects: self.effects,
            edges: self.edges,
            toast: toast.chars().take(MAX_TOAST_CHARS).collect(),
        }
    }

    /// What later turns should know of this one. A turn that changed nothing is not remembered, nor one that was to forget.
    fn remember(&mut self) {
        let is_unchanged = self.dialogue == self.before && self.effects.is_empty();
        if is_unchanged || self.turn.input == Input::Forget {
            return;
        }
        self.dialogue.lang.clone_from(&self.language);
        self.dialogue.topic = self.turn.view.person.topic;
        if self.album.is_some() {
            self.dialogue.album = self.album.take();
        }
    }
}

/// Why a turn stops. States that nobody can read and people who may not go on are dealt with before.
fn halt(flow: &str, schema: u32, stop: Stop) -> Halt {
    match stop {
        Stop::Needs(reads) => Halt::Needs(reads),
        Stop::Newer | Stop::Broken | Stop::Barred => Halt::Newer { flow: flow.to_owned(), schema },
    }
}

fn millis(duration: std::time::Duration) -> Millis {
    u64::try_from(duration.as_millis()).map_or(MAX_WAIT, |wait| wait.min(MAX_WAIT))
}

/// Six characters that differ from cause to cause and survive a re-run.
fn nonce(stamp: &str) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let hash = xxhash_rust::xxh3::xxh3_64(stamp.as_bytes());
    (0..6).map(|i| char::from(ALPHABET[(hash >> (5 * i)) as usize % 32])).collect()
}
