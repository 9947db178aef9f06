//! What can be done while nothing can be read: nobody is trapped, and no chat waits, because the records are away.

use super::answer::Opening;
use super::{Halt, Play};
use crate::data;
use crate::input::{Command, Input};
use crate::prompt::say;

impl Play<'_> {
    /// Begins anew, shows the menu, or answers what nobody waits for. Everything else needs what it reads: done without, it would
    /// be done wrongly or be lost.
    pub(super) fn without_reads(&mut self) -> Result<(), Halt> {
        match &self.turn.input {
            // With an argument, such as an invitation, it waits for what it asks about.
            Input::Command(Command { name, arg }) if arg.is_empty() => match name.as_str() {
                "start" => self.start_without(),
                "menu" => self.open_menu("menu"),
                _ => return Err(Halt::Needs(Vec::new())),
            },
            Input::Text(_) | Input::Photo(_) | Input::Contact(_) | Input::Other(_) => {
                return self.message_without();
            }
            // What it asks about may be lost, which the next press finds again.
            Input::Press(data) if self.dialogue.live.is_none() && data::is_choice(data) => {
                return self.toast("stale-button");
            }
            _ => return Err(Halt::Needs(Vec::new())),
        }
        Ok(())
    }

    /// No flow is asked to open, and only what is for everybody is shown.
    fn start_without(&mut self) {
        self.interrupt();
        self.open_menu("start");
        self.offer_drafts();
    }

    /// An answer to an older message is for whoever knows that one, and never for the flow that happens to wait. What answers
    /// nothing may have been meant for a dialogue that is lost, which the next message finds again.
    fn message_without(&mut self) -> Result<(), Halt> {
        if self.turn.reply_to.is_some() {
            self.say(&say("reply-later"));
            return Ok(());
        }
        self.revive_in_time();
        if self.dialogue.live.is_some() {
            return Err(Halt::Needs(Vec::new()));
        }
        match self.opening_without() {
            Opening::Begins(flow, taken) => self.begin(flow, *taken).map(|_| ()),
            Opening::Refused | Opening::Nothing => {
                self.not_understood();
                Ok(())
            }
        }
    }

    /// What the first flow makes of it that can tell without reading.
    fn opening_without(&self) -> Opening {
        let flows = self.flows.flows.iter();
        let mut openings = flows.filter_map(|flow| self.opening_of(&**flow).ok());
        let first = openings.find(|opening| !matches!(opening, Opening::Nothing));
        first.unwrap_or(Opening::Nothing)
    }
}
