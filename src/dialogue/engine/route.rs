//! Where the dialogue goes: steps are taken, flows put aside and taken up again.

use super::{Halt, Play, halt};
use crate::dialogue::edge::Edge;
use crate::dialogue::erased::{Act, Acted, Onward, Placed, Stop, Taken};
use crate::dialogue::input::Input;
use crate::dialogue::prompt::say;
use crate::dialogue::saved::{Draft, Due, DueTo, Live};
use crate::dialogue::text::text;

/// How many flows may be put aside for others at once.
const MAX_INTERRUPTED: usize = 3;

impl Play<'_> {
    /// Does something with the live state. A state that nobody can read is put aside, so that nobody is trapped in it.
    pub(super) fn act(&mut self, act: Act) -> Result<Option<Acted>, Halt> {
        let Some(live) = &self.dialogue.live else {
            return Ok(None);
        };
        let acted = match self.flows.flow(&live.flow) {
            Some(flow) => flow.act(live.schema, &live.state, act, &self.turn),
            None => Err(Stop::Newer),
        };
        match acted {
            Ok(acted) => Ok(Some(acted)),
            Err(Stop::Broken) => {
                self.interrupt();
                self.say(&say("broken-state"));
                Ok(None)
            }
            Err(stop) => Err(halt(&live.flow, live.schema, stop)),
        }
    }

    /// Puts a step of the live flow into effect.
    pub(super) fn take_live(&mut self, taken: Taken) -> Result<(), Halt> {
        let Some(live) = &self.dialogue.live else {
            return Ok(());
        };
        let (flow, from) = (live.flow.clone(), live.state.at().into_owned());
        self.take(&flow, &from, taken)
    }

    pub(super) fn take(&mut self, flow: &str, from: &str, taken: Taken) -> Result<(), Halt> {
        let Taken { next, deeds } = taken;
        if from == "start" && matches!(next, Onward::Done) && deeds.is_empty() {
            return Ok(());
        }
        let nonce = self.nonce_of(&next);
        let asked = std::mem::replace(&mut self.nonce, nonce);
        deeds.into_iter().for_each(|deed| self.deed(deed));
        let went = self.go(flow, from, next);
        self.nonce = asked;
        went
    }

    /// The buttons of a state that is only kept stay those of its question.
    pub(super) fn nonce_of(&self, next: &Onward) -> String {
        match (next, &self.dialogue.live) {
            (Onward::At(_, None), Some(live)) => live.nonce.clone(),
            _ => self.nonce.clone(),
        }
    }

    pub(super) fn go(&mut self, flow: &str, from: &str, next: Onward) -> Result<(), Halt> {
        match next {
            Onward::At(placed, prompt) => {
                self.enter(flow, from, placed, prompt.is_some());
                if let Some(prompt) = prompt {
                    self.say(&prompt);
                }
            }
            Onward::Done => {
                self.dialogue.live = None;
                self.edge(flow, from, "done");
                self.offer_drafts();
            }
            Onward::Park(placed) => {
                self.enter(flow, from, placed, false);
                let expired = matches!(self.turn.input, Input::Timer);
                self.set_aside(expired);
                self.offer(flow, if expired { "expired" } else { "parked" });
            }
            Onward::Open {
                park,
                flow: other,
                arg,
            } => {
                self.enter(flow, from, park, false);
                return self.follow(other, &arg);
            }
        }
        Ok(())
    }

    pub(super) fn enter(&mut self, flow: &str, from: &str, placed: Placed, asked: bool) {
        let to = placed.state.at().into_owned();
        if asked || from != to {
            self.edge(flow, from, &to);
        }
        let since = self
            .dialogue
            .live
            .as_ref()
            .filter(|live| live.flow == flow && from != "start")
            .map(|live| live.since);
        self.dialogue.live = Some(Live {
            flow: flow.to_owned(),
            nonce: self.nonce.clone(),
            since: since.unwrap_or(self.turn.now),
            active: self.turn.now,
            due: self.due(&placed),
            schema: placed.schema,
            state: placed.state,
        });
        self.dialogue.told = false;
    }

    /// Takes a draft up where it was put down.
    pub(super) fn revive(&mut self, draft: Draft) {
        let at = draft.state.at().into_owned();
        self.edge(&draft.flow, "parked", &at);
        self.dialogue.live = Some(Live {
            flow: draft.flow,
            schema: draft.schema,
            state: draft.state,
            nonce: draft.nonce,
            since: draft.since,
            active: self.turn.now,
            due: Due {
                at: draft.until.max(self.turn.now),
                to: DueTo::Expire,
            },
        });
    }

    /// Asks the live state's question anew, with fresh buttons.
    pub(super) fn ask_again(&mut self) -> Result<(), Halt> {
        if let Some(Acted::Taken(Taken {
            next: Onward::At(placed, Some(prompt)),
            ..
        })) = self.act(Act::Ask)?
        {
            let due = self.due(&placed);
            if let Some(live) = &mut self.dialogue.live {
                live.due = due;
                live.nonce.clone_from(&self.nonce);
            }
            self.say(&prompt);
        }
        Ok(())
    }

    /// Ends the live flow; answers which it was.
    pub(super) fn leave(&mut self, to: &str) -> Option<String> {
        let live = self.dialogue.live.take()?;
        self.edge(&live.flow, &live.state.at().into_owned(), to);
        Some(live.flow)
    }

    /// Puts the live flow aside for another.
    pub(super) fn interrupt(&mut self) {
        self.set_aside(false);
    }

    pub(super) fn may_interrupt(&mut self) -> bool {
        let aside = self
            .dialogue
            .parked
            .iter()
            .filter(|draft| !draft.expired)
            .count();
        let may = self.dialogue.live.is_none() || aside < MAX_INTERRUPTED;
        if !may {
            self.say(&say(text("too-many-drafts").with("count", MAX_INTERRUPTED)));
        }
        may
    }

    pub(super) fn set_aside(&mut self, expired: bool) {
        let Some(live) = self.dialogue.live.take() else {
            return;
        };
        self.edge(&live.flow, &live.state.at().into_owned(), "parked");
        self.dialogue.parked.retain(|draft| draft.flow != live.flow);
        let data_ttl = self.data_ttl(&live);
        self.dialogue.parked.push(Draft {
            flow: live.flow,
            schema: live.schema,
            state: live.state,
            nonce: live.nonce,
            since: live.since,
            at: self.turn.now,
            until: self.turn.now + data_ttl,
            expired,
        });
    }

    pub(super) fn edge(&mut self, flow: &str, from: &str, to: &str) {
        self.edges.push(Edge {
            flow: flow.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
        });
    }
}
