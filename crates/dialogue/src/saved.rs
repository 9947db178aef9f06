//! What is kept of a dialogue between two turns, as JSON.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Millis;

/// The version of this format. A build that meets a higher one leaves the record alone.
pub(super) const FORMAT: u32 = 1;
/// A dialogue that holds nothing, as it is kept: that of somebody who was forgotten.
pub const BLANK: &[u8] = br#"{"v":1}"#;
/// What the format is called among the schemas of the flows.
pub const RECORD: &str = "the record";

/// The time for which a chosen language is stored while the user is silent: 400 days.
const CHOSEN_FOR: Duration = Duration::from_secs(400 * 24 * 3600);

/// All that is kept of a dialogue between two turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dialogue {
    v: u32,
    /// The flow that waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
    /// Drafts put aside, oldest first, at most one per flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parked: Vec<Draft>,
    /// The album whose parts were last taken in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub album: Option<String>,
    /// The language that the person's app is set to, for what is said without being asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lang: String,
    /// The language the person has chosen, where it is not the one of their app.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub speaks: String,
    /// The topic in which the person was last talking, for what is said without being asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<i32>,
    /// The person was told that their state waits for a newer build.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// The key that shares a number is shown, and goes with its question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys: bool,
}

/// A flow that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// The flow's name.
    pub flow: String,
    /// The schema its state was written in.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub schema: u32,
    /// Where it is.
    pub state: State,
    /// Marks the buttons of its current prompt.
    pub nonce: String,
    /// When the flow began.
    pub since: Millis,
    /// When it came to where it is, in milliseconds after it began. A record of an older build counts from there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entered: Millis,
    /// When the person last did something.
    pub active: Millis,
    /// What happens next if nobody does anything, and when.
    pub due: Due,
}

/// What happens next if nobody does anything, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    /// When.
    pub at: Millis,
    /// What.
    pub to: DueTo,
}

/// What happens next if nobody does anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DueTo {
    /// A pause ends.
    Resume,
    /// The person is reminded.
    Remind,
    /// The wait is over.
    Expire,
}

/// A flow put aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The flow's name.
    pub flow: String,
    /// The schema its state was written in.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub schema: u32,
    /// Where it was.
    pub state: State,
    /// Marks the buttons of its last prompt.
    pub nonce: String,
    /// When the flow began.
    pub since: Millis,
    /// When it was put aside.
    pub at: Millis,
    /// When it is forgotten.
    pub until: Millis,
    /// It was put aside because nobody answered, not for another flow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// A flow's state as JSON, byte for byte: also one that this build cannot read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub(super) Box<RawValue>);

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl State {
    /// The name of the state: its tag.
    pub fn at(&self) -> Cow<'_, str> {
        #[derive(Deserialize)]
        struct Tag<'a> {
            #[serde(borrow)]
            at: Cow<'a, str>,
        }
        serde_json::from_str::<Tag<'_>>(self.0.get()).map_or(Cow::Borrowed("unknown"), |tag| tag.at)
    }
}

impl Default for Dialogue {
    fn default() -> Self {
        Self {
            v: FORMAT,
            live: None,
            parked: Vec::new(),
            album: None,
            lang: String::new(),
            speaks: String::new(),
            topic: None,
            told: false,
            keys: false,
        }
    }
}

/// Why a saved dialogue cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// It was written by a newer build, in this format.
    Newer(u32),
    /// It is broken.
    Broken,
}

impl Dialogue {
    /// Reads what [`Dialogue::write`] wrote; nothing at all is a dialogue that never was.
    pub fn read(body: Option<&[u8]>) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Format {
            v: u32,
        }
        let Some(body) = body.filter(|body| !body.is_empty()) else {
            return Ok(Self::default());
        };
        let read = serde_json::from_slice(body).ok().filter(|read: &Self| read.v <= FORMAT);
        match read {
            Some(read) => Ok(Self { v: FORMAT, ..read }),
            None => match serde_json::from_slice::<Format>(body) {
                Ok(format) if format.v > FORMAT => Err(Unreadable::Newer(format.v)),
                _ => Err(Unreadable::Broken),
            },
        }
    }

    /// As JSON, without a line feed.
    ///
    /// # Panics
    /// Never: these types can always be written.
    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a dialogue is plain data")
    }

    /// Under which it is counted.
    pub fn labels(&self) -> Vec<String> {
        let live = self.live.iter().map(|live| format!("{}/{}", live.flow, live.state.at()));
        live.chain(self.parked.iter().map(|draft| format!("{}/parked", draft.flow))).collect()
    }

    /// When something happens if nobody does anything.
    pub fn due(&self) -> Option<Millis> {
        let live = self.live.iter().map(|live| live.due.at);
        live.chain(self.parked.iter().map(|draft| draft.until)).min()
    }

    /// Returns the time for which an idle dialogue is stored: `seen_for`, the age of its oldest seen id, or 400 days if the
    /// user has chosen a language.
    pub fn idle(&self, seen_for: Duration) -> Duration {
        if self.speaks.is_empty() { seen_for } else { CHOSEN_FOR }
    }
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(time: &Millis) -> bool {
    *time == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(schema: &u32) -> bool {
    *schema == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_language_outlives_the_marks_and_is_counted_under_nothing() {
        let seen_for = Duration::from_secs(60);
        let mut dialogue = Dialogue::default();
        assert_eq!(dialogue.idle(seen_for), seen_for);
        "ru".clone_into(&mut dialogue.speaks);
        assert_eq!(dialogue.idle(seen_for), CHOSEN_FOR);
        assert!(dialogue.labels().is_empty() && dialogue.due().is_none());
    }
}
