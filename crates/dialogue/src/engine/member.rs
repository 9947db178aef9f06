//! What the person may do, by what the records know of them.

use super::{Halt, Play, halt};
use crate::Member;
use crate::erased::AnyFlow;
use crate::prompt::say;
use crate::turn::read;

impl Play<'_> {
    /// What the records know of the person; stops if they were not asked yet.
    pub(super) fn member(&self) -> Result<Member, Halt> {
        let wish = read(Member::READ, "");
        match self.turn.reads.has(&wish) {
            true => Ok(self.turn.read(Member::READ)),
            false => Err(Halt::Needs(vec![wish])),
        }
    }

    /// Whether the person may begin this flow. Nobody is asked about who begins what is for everybody.
    pub(super) fn may_begin(&self, flow: &dyn AnyFlow) -> Result<bool, Halt> {
        match flow.roles() {
            [] => Ok(true),
            roles => Ok(self.member()?.is_any_of(roles)),
        }
    }

    /// Whether the person may begin this flow although they have no role for it.
    pub(super) fn is_admitted(&self, flow: &dyn AnyFlow) -> Result<bool, Halt> {
        let admitted = flow.admits(&self.turn);
        admitted.map_err(|stop| halt(flow.name(), 0, stop))
    }

    /// Ends the live flow of somebody who may not go on with it any more. Nobody who did nothing hears of it.
    pub(super) fn bar(&mut self) -> Result<(), Halt> {
        self.cancel_live();
        if !self.is_timer() {
            self.refuse_entry()?;
            self.offer_menu();
        }
        Ok(())
    }

    /// A polite refusal, which tells what to do.
    pub(super) fn refuse_entry(&mut self) -> Result<(), Halt> {
        let is_stranger = self.member()?.roles.is_empty();
        self.say(&say(if is_stranger { "stranger" } else { "not-allowed" }));
        Ok(())
    }

    /// Takes up the language that the person chose when there was another record of the dialogue, as soon as it is known.
    pub(super) fn recall_language(&mut self) {
        let Ok(Member { language: Some(language), .. }) = self.member() else {
            return;
        };
        if self.dialogue.speaks.is_empty() && !self.is_timer() {
            self.speak(language);
        }
    }
}
