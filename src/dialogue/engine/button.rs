//! Buttons: choices of the current prompt, links to flows, drafts to go on with.

use super::{Halt, Play, halt, title};
use crate::dialogue::data::{self, Pressed};
use crate::dialogue::input::Input;
use crate::dialogue::prompt::say;
use crate::dialogue::text::{Text, text};

impl Play<'_> {
    pub(super) fn press(&mut self, data: &str) -> Result<(), Halt> {
        self.toast = Some(Text::default());
        match data::read(data) {
            Some(Pressed::Choice {
                owner: Some(owner), ..
            }) if owner != self.turn.key.user => self.toast("not-yours"),
            Some(Pressed::Choice { nonce, value, .. }) if self.is_current(nonce) => {
                self.turn.input = Input::Choice(value.to_owned());
                self.answer()
            }
            Some(Pressed::Link { flow, arg }) => self.follow(flow, arg),
            Some(Pressed::Resume(flow)) => self.resume(flow),
            Some(Pressed::Drop(flow)) => self.drop_draft(flow),
            Some(Pressed::Choice { .. }) | None => self.toast("stale-button"),
        }
    }

    pub(super) fn is_current(&self, nonce: &str) -> bool {
        self.dialogue
            .live
            .as_ref()
            .is_some_and(|live| live.nonce == nonce)
    }

    /// Opens a flow by its link.
    pub(super) fn follow(&mut self, name: &str, arg: &str) -> Result<(), Halt> {
        let Some(flow) = self.flows.flow(name) else {
            return self.toast("stale-button");
        };
        if !self.may_interrupt() {
            return Ok(());
        }
        self.turn.input = Input::Link(arg.to_owned());
        match flow.open(&self.turn).map_err(|stop| halt(name, 0, stop))? {
            Some(taken) => {
                self.interrupt();
                self.take(name, "start", taken)
            }
            None => self.toast("stale-button"),
        }
    }

    /// Goes on with a draft.
    pub(super) fn resume(&mut self, name: &str) -> Result<(), Halt> {
        let Some(at) = self
            .dialogue
            .parked
            .iter()
            .position(|draft| draft.flow == name)
        else {
            return self.toast("stale-button");
        };
        let draft = self.dialogue.parked.remove(at);
        self.interrupt();
        self.revive(draft);
        self.ask_again()
    }

    pub(super) fn drop_draft(&mut self, name: &str) -> Result<(), Halt> {
        let Some(at) = self
            .dialogue
            .parked
            .iter()
            .position(|draft| draft.flow == name)
        else {
            return self.toast("stale-button");
        };
        self.dialogue.parked.remove(at);
        self.edge(name, "parked", "forgotten");
        self.say(&say(text("dropped").with("what", title(name))));
        Ok(())
    }
}
