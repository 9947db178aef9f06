//! Buttons: choices of the current prompt, links to flows, drafts to go on with.

use super::answer::Opening;
use super::menu::MENU;
use super::{Halt, Play};
use crate::data::{self, Pressed};
use crate::input::Input;
use crate::prompt::say;
use crate::text::{Text, text};

impl Play<'_> {
    pub(super) fn press(&mut self, data: &str) -> Result<(), Halt> {
        self.toast = Some(Text::default());
        let Some((pressed, owner)) = data::read(data) else {
            return self.toast("stale-button");
        };
        if owner.is_some_and(|owner| owner != self.turn.key.user) {
            return self.toast("not-yours");
        }
        match pressed {
            Pressed::Choice { nonce, value } if self.is_current(nonce) => {
                self.turn.input = Input::Choice(value.to_owned());
                self.answer()
            }
            Pressed::Choice { .. } => self.stale_choice(),
            Pressed::Link { flow, arg } => self.follow(flow, arg),
            Pressed::Resume(flow) => self.resume(flow),
            Pressed::Drop(flow) => self.drop_draft(flow),
        }
    }

    /// A choice that nobody waits for. In private its question may have been lost: who finds that again asks it anew.
    fn stale_choice(&mut self) -> Result<(), Halt> {
        if self.dialogue.live.is_none() && self.turn.is_private() {
            self.find_lost()?;
        }
        self.toast("stale-button")
    }

    pub(super) fn is_current(&self, nonce: &str) -> bool {
        self.dialogue.live.as_ref().is_some_and(|live| live.nonce == nonce)
    }

    /// Opens a flow by its link.
    pub(super) fn follow(&mut self, name: &str, arg: &str) -> Result<(), Halt> {
        if name == MENU {
            return self.menu("menu");
        }
        match self.linked(name, arg)? {
            Opening::Begins(flow, taken) => self.begin(flow, *taken).map(|_| ()),
            Opening::Refused => self.refuse_entry(),
            Opening::Nothing => self.toast("stale-button"),
        }
    }

    /// What the flow that a link leads to makes of it.
    pub(super) fn linked(&mut self, name: &str, arg: &str) -> Result<Opening, Halt> {
        let Some(flow) = self.flows.flow(name) else {
            return Ok(Opening::Nothing);
        };
        self.turn.input = Input::Link(arg.to_owned());
        self.opening_of(flow)
    }

    /// Goes on with a draft. One that cannot be read stays where it is, and so does everything else.
    pub(super) fn resume(&mut self, name: &str) -> Result<(), Halt> {
        let Some(at) = self.draft(name) else {
            return self.toast("stale-button");
        };
        if let Some(flow) = self.flows.flow(name)
            && !self.may_begin(flow)?
        {
            return self.refuse_entry();
        }
        if !self.may_interrupt(Some(name)) {
            return Ok(());
        }
        let (kept, edges) = (self.dialogue.clone(), self.edges.len());
        let draft = self.dialogue.parked.remove(at);
        self.interrupt();
        self.revive(draft);
        self.ask_again()?;
        if self.dialogue.live.is_none() {
            self.dialogue = kept;
            self.edges.truncate(edges);
        }
        Ok(())
    }

    /// Throws a draft away, at the person's word.
    pub(super) fn drop_draft(&mut self, name: &str) -> Result<(), Halt> {
        let Some(at) = self.draft(name) else {
            return self.toast("stale-button");
        };
        let draft = self.dialogue.parked.remove(at);
        self.dropped(&draft);
        self.edge(name, "parked", "cancelled", Some(self.lay(&draft)));
        self.say(&say(text("dropped").with("what", self.flows.title(name))));
        self.offer_menu();
        self.offer_drafts();
        Ok(())
    }

    fn draft(&self, name: &str) -> Option<usize> {
        let mut drafts = self.dialogue.parked.iter();
        drafts.position(|draft| draft.flow == name)
    }
}
