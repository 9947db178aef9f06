//! What the people of a bench do: dialogues from beginning to end, as a list of what to do and what to hear.
//!
//! Adding one: a constant, and its place in [`SCRIPTS`]. A test plays each of them on paper, so that one which no longer fits its flow
//! is noticed here and not in a run.

/// Every script. People play them in turn.
pub const SCRIPTS: [Script; 2] = [PHOTO, PHOTO_WITHOUT_CAPTION];

const PHOTO: Script = Script {
    name: "photo",
    steps: &[
        Step::new(Act::Photo, "What shall the caption be?"),
        Step::new(Act::Types("Our new boiler, seen from the stairs"), "Thank you!"),
    ],
};

const PHOTO_WITHOUT_CAPTION: Script = Script {
    name: "photo without a caption",
    steps: &[
        Step::new(Act::Types("/photo"), "Please send me a photo."),
        Step::new(Act::Photo, "What shall the caption be?"),
        Step::new(Act::Presses("No caption"), "Thank you!"),
    ],
};

/// A dialogue from beginning to end. It ends where it began, so that it can be led again.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    /// What it is called.
    pub name: &'static str,
    /// What happens, in order.
    pub steps: &'static [Step],
}

/// Something is done, and something is said to it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// What the person does.
    pub does: Act,
    /// A part of what the bot must say to that, in English; what it says before is passed over.
    pub hears: &'static str,
}

/// Something a person does.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Types this.
    Types(&'static str),
    /// Sends a photo.
    Photo,
    /// Presses the button of this label, under the message heard last.
    Presses(&'static str),
}

impl Step {
    const fn new(does: Act, hears: &'static str) -> Self {
        Self { does, hears }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::company::flows;
    use crate::dialogue::{TestChat, read};

    #[test]
    fn every_script_fits_the_flows_and_ends_where_it_began() {
        let bot = flows::all();
        for script in SCRIPTS {
            let mut chat = TestChat::sketch(&bot);
            chat.knows(read("unfinished_profile", ""), ());
            for step in script.steps {
                match step.does {
                    Act::Types(text) => chat.types(text),
                    Act::Photo => chat.sends_photo("a-file", None, None),
                    Act::Presses(label) => chat.presses(label),
                };
                chat.hears(step.hears);
            }
            chat.at("idle");
        }
    }
}
