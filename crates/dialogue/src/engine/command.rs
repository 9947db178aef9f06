//! Commands: the global ones come before any state, so nobody is ever trapped.

use super::answer::Opening;
use super::{Halt, Play};
use crate::effect::Effect;
use crate::erased::{Act, Acted};
use crate::prompt::say;
use crate::saved::Dialogue;
use crate::text::{Text, text};

/// The global commands, in the order in which they are listed.
pub(crate) const GLOBAL: [&str; 5] = ["menu", "back", "cancel", "help", "start"];

/// The text that lists the global commands; each is an argument of it.
pub(crate) fn help() -> Text {
    GLOBAL
        .into_iter()
        .fold(text("help"), |help, name| help.with(name, Text::of_key(format!("{name}-command"))))
}

impl Play<'_> {
    pub(super) fn command(&mut self, name: &str) -> Result<(), Halt> {
        match name {
            "start" => self.start(),
            "cancel" => {
                self.cancel();
                Ok(())
            }
            "help" => {
                self.say(&say(help()));
                Ok(())
            }
            "menu" => self.menu("menu"),
            "back" => self.back(),
            _ => self.open_by_command(),
        }
    }

    /// Begins anew. What was under way is put aside, never lost.
    pub(super) fn start(&mut self) -> Result<(), Halt> {
        self.interrupt();
        if !self.open()? {
            self.menu("start")?;
        }
        self.offer_drafts();
        Ok(())
    }

    /// Ends what is under way, and only that.
    pub(super) fn cancel(&mut self) {
        match self.cancel_live() {
            Some(flow) => {
                self.say(&say(text("cancelled").with("what", self.flows.title(&flow))));
                self.offer_menu();
                self.offer_drafts();
            }
            None => self.say(&say("nothing-to-cancel")),
        }
    }

    pub(super) fn back(&mut self) -> Result<(), Halt> {
        match self.act(Act::Back)? {
            Some(Acted::Taken(taken)) => self.take_live(taken),
            Some(Acted::Barred) => Ok(()),
            None if self.dialogue != self.before => Ok(()),
            _ => {
                self.say(&say("no-way-back"));
                Ok(())
            }
        }
    }

    /// Another flow's command puts the current one aside; one that nobody knows is left to the current flow.
    pub(super) fn open_by_command(&mut self) -> Result<(), Halt> {
        match self.opening()? {
            Opening::Begins(flow, taken) => self.begin(flow, *taken).map(|_| ()),
            Opening::Refused => self.refuse_entry(),
            Opening::Nothing => self.answer(),
        }
    }

    /// Frees the person from what is under way, at an operator's word.
    pub(super) fn reset(&mut self) {
        if self.cancel_live().is_some() {
            self.say(&say("reset"));
            self.offer_menu();
            self.offer_drafts();
        }
    }

    /// Leaves nothing of what the person has said, at an operator's word. They are told nothing; what ending a flow half-way writes
    /// is written.
    pub(super) fn forget(&mut self) {
        self.cancel_live();
        for draft in std::mem::take(&mut self.dialogue.parked) {
            self.dropped(&draft);
            self.edge(&draft.flow, "parked", "cancelled", Some(self.lay(&draft)));
        }
        self.effects.retain(|effect| matches!(effect, Effect::Record(_)));
        self.dialogue = Dialogue::default();
    }
}
