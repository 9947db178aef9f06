//! What time does: pauses end, people are reminded, waits are over, drafts are forgotten.

use super::{Halt, Play, millis};
use crate::Millis;
use crate::erased::{Act, Acted, Placed};
use crate::prompt::Prompt;
use crate::saved::{Draft, Due, DueTo, Live};

/// In a shorter wait nobody is reminded.
const LEAST_REMINDED: Millis = 10_000;

impl Play<'_> {
    pub(super) fn timer(&mut self) -> Result<(), Halt> {
        for draft in self.forget_drafts() {
            self.dropped(&draft);
        }
        self.due_now().map_or(Ok(()), |to| self.fire(to))
    }

    /// Forgets the drafts that nobody came back to; answers which.
    #[must_use]
    pub(super) fn forget_drafts(&mut self) -> Vec<Draft> {
        let now = self.turn.now;
        let drafts = &mut self.dialogue.parked;
        let gone: Vec<_> = drafts.extract_if(.., |draft| draft.until <= now).collect();
        for draft in &gone {
            self.edge(&draft.flow, "parked", "forgotten", Some(self.lay(draft)));
        }
        gone
    }

    /// What is due in the live flow.
    pub(super) fn due_now(&self) -> Option<DueTo> {
        let due = self.dialogue.live.as_ref()?.due;
        (due.at <= self.turn.now).then_some(due.to)
    }

    pub(super) fn fire(&mut self, to: DueTo) -> Result<(), Halt> {
        let act = match to {
            DueTo::Resume => Act::Resume,
            DueTo::Remind => Act::Remind,
            DueTo::Expire => Act::Expire,
        };
        match self.act(act)? {
            Some(Acted::Taken(taken)) => self.take_live(taken),
            // After an outage the wait may be over as well; nobody is reminded of what is put aside with the same breath.
            Some(Acted::Remind(_, placed)) if self.is_over(&placed) => self.fire(DueTo::Expire),
            Some(Acted::Remind(prompt, placed)) => {
                self.remind(prompt.as_ref(), &placed);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn is_over(&self, placed: &Placed) -> bool {
        let live = self.dialogue.live.as_ref();
        live.is_some_and(|live| live.active + self.ttl(placed) <= self.turn.now)
    }

    pub(super) fn remind(&mut self, prompt: Option<&Prompt>, placed: &Placed) {
        let ttl = self.ttl(placed);
        if let Some(live) = &mut self.dialogue.live {
            live.due = Due { at: live.active + ttl, to: DueTo::Expire };
            self.nonce.clone_from(&live.nonce);
            let flow = live.flow.clone();
            if let Some(prompt) = prompt {
                self.ask(&flow, prompt);
            }
        }
    }

    pub(super) fn due(&self, placed: &Placed) -> Due {
        let now = self.turn.now;
        let ttl = self.ttl(placed);
        match (placed.pause, reminds(placed, ttl)) {
            (Some(pause), _) => Due { at: now + millis(pause), to: DueTo::Resume },
            (None, Some(remind)) => Due { at: now + remind, to: DueTo::Remind },
            (None, None) => Due { at: now + ttl, to: DueTo::Expire },
        }
    }

    pub(super) fn ttl(&self, placed: &Placed) -> Millis {
        millis(self.flows.waits.state_ttl.unwrap_or(placed.ttl))
    }

    pub(super) fn data_ttl(&self, live: &Live) -> Millis {
        let own =
            self.flows.flow(&live.flow).and_then(|flow| flow.data_ttl(live.schema, &live.state));
        millis(own.unwrap_or(self.flows.waits.data_ttl))
    }
}

/// When the person is reminded within a wait of this length, if at all. A reminder that would come too late, since the server waits for
/// less than the flow would, comes after three quarters of the wait; unless it would hardly be read before the end.
fn reminds(placed: &Placed, ttl: Millis) -> Option<Millis> {
    match millis(placed.remind?) {
        remind if remind < ttl => Some(remind),
        _ if ttl < LEAST_REMINDED => None,
        _ => Some(ttl / 4 * 3),
    }
}
