//! Where the dialogue goes: steps are taken, flows put aside and taken up again.

use super::answer::Opening;
use super::{Halt, Play, halt};
use crate::dialogue::edge::Edge;
use crate::dialogue::erased::{Act, Acted, Onward, Placed, Stop, Taken};
use crate::dialogue::prompt::say;
use crate::dialogue::saved::{Draft, Due, DueTo, Live};
use crate::dialogue::step::Deed;
use crate::dialogue::text::text;

/// Where flows begin, in the diagram.
const START: &str = "start";
/// How many flows may be put aside for others at once.
const MAX_INTERRUPTED: usize = 3;
/// How many flows may open one another within a turn. More is a circle, and a panic ends the turn but a circle the process.
const MAX_HOPS: u32 = 8;

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
        self.take(&flow, Some(&from), taken)
    }

    /// Begins a flow with its first step, for which the current one is put aside. Answers whether the flow took over: one that is
    /// over at once interrupts nothing, and with too much put aside already nothing begins.
    pub(super) fn begin(&mut self, flow: &str, taken: Taken) -> Result<bool, Halt> {
        if matches!(taken.next, Onward::Done) {
            self.pass_by(flow, taken.deeds);
            return Ok(false);
        }
        if self.stands_there(flow, &taken) {
            return self.ask_again().map(|()| true);
        }
        if !self.may_interrupt(None) {
            return Ok(false);
        }
        self.interrupt();
        self.take(flow, None, taken).map(|()| true)
    }

    /// A flow that is over at once. One that does nothing either has only looked.
    fn pass_by(&mut self, flow: &str, deeds: Vec<Deed>) {
        if deeds.is_empty() {
            return;
        }
        self.edge(flow, START, "done");
        deeds.into_iter().for_each(|deed| self.deed(flow, deed));
        self.offer_menu();
    }

    /// Whether the flow would begin exactly where it is: a button pressed twice.
    fn stands_there(&self, flow: &str, taken: &Taken) -> bool {
        let Some(live) = self.dialogue.live.as_ref().filter(|live| live.flow == flow) else {
            return false;
        };
        let asks = matches!(&taken.next, Onward::At(placed, Some(_)) if placed.state == live.state);
        asks && taken.deeds.is_empty()
    }

    /// Puts a step into effect; `from` is none where a flow begins.
    pub(super) fn take(
        &mut self,
        flow: &str,
        from: Option<&str>,
        taken: Taken,
    ) -> Result<(), Halt> {
        let Taken { next, deeds } = taken;
        let nonce = self.nonce_of(&next);
        let asked = std::mem::replace(&mut self.nonce, nonce);
        deeds.into_iter().for_each(|deed| self.deed(flow, deed));
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

    fn go(&mut self, flow: &str, from: Option<&str>, next: Onward) -> Result<(), Halt> {
        match next {
            Onward::At(placed, prompt) => {
                self.enter(flow, from, placed, prompt.is_some());
                if let Some(prompt) = prompt {
                    self.ask(flow, &prompt);
                }
            }
            Onward::Done => {
                self.dialogue.live = None;
                self.edge(flow, from.unwrap_or(START), "done");
                self.offer_menu();
                self.offer_drafts();
            }
            Onward::Park(placed) => {
                self.enter(flow, from, placed, false);
                let expired = self.is_timer();
                self.set_aside(expired);
                self.offer(flow, if expired { "expired" } else { "parked" });
            }
            Onward::Open {
                park,
                flow: other,
                arg,
            } => {
                self.enter(flow, from, park, false);
                return self.open_inside(other, &arg);
            }
        }
        Ok(())
    }

    /// Opens another flow from inside the live one. Where that does not take over, the live one asks, so that nobody is left in
    /// silence or with dead buttons.
    fn open_inside(&mut self, other: &str, arg: &str) -> Result<(), Halt> {
        self.hops += 1;
        assert!(
            self.hops <= MAX_HOPS,
            "flows open one another without an end"
        );
        let took_over = match self.linked(other, arg)? {
            Opening::Begins(flow, taken) => self.begin(flow, taken)?,
            Opening::Refused => {
                self.refuse_entry()?;
                false
            }
            Opening::Nothing => false,
        };
        if took_over { Ok(()) } else { self.ask_again() }
    }

    fn enter(&mut self, flow: &str, from: Option<&str>, placed: Placed, asked: bool) {
        let to = placed.state.at().into_owned();
        if asked || from != Some(&to) {
            self.edge(flow, from.unwrap_or(START), &to);
        }
        let since = self
            .dialogue
            .live
            .as_ref()
            .filter(|live| live.flow == flow && from.is_some())
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
                let flow = live.flow.clone();
                self.ask(&flow, &prompt);
            }
        }
        Ok(())
    }

    /// Ends the live flow; answers which it was.
    pub(super) fn leave(&mut self, to: &str) -> Option<String> {
        let live = self.dialogue.live.take()?;
        self.edge(&live.flow, &live.state.at(), to);
        Some(live.flow)
    }

    /// Puts the live flow aside for another.
    pub(super) fn interrupt(&mut self) {
        self.set_aside(false);
    }

    /// Whether the live flow may be put aside; says so if not. A draft that is taken up instead makes room.
    pub(super) fn may_interrupt(&mut self, taken_up: Option<&str>) -> bool {
        let Some(live) = &self.dialogue.live else {
            return true;
        };
        // The live flow takes the place of its own older draft.
        let stays = |draft: &&Draft| {
            !draft.expired && draft.flow != live.flow && taken_up != Some(&*draft.flow)
        };
        let may = self.dialogue.parked.iter().filter(stays).count() < MAX_INTERRUPTED;
        if !may {
            self.say(&say(text("too-many-drafts").with("count", MAX_INTERRUPTED)));
        }
        may
    }

    /// Puts the live flow aside, in place of an older draft of it; answers which it was, if it can be gone on with.
    pub(super) fn set_aside(&mut self, expired: bool) -> Option<String> {
        let live = self.dialogue.live.take()?;
        let drafts = self.dialogue.parked.len();
        self.dialogue.parked.retain(|draft| draft.flow != live.flow);
        if self.dialogue.parked.len() < drafts {
            self.edge(&live.flow, "parked", "cancelled");
        }
        self.edge(&live.flow, &live.state.at(), "parked");
        let flow = live.flow.clone();
        let data_ttl = self.data_ttl(&live);
        if data_ttl == 0 {
            self.edge(&flow, "parked", "forgotten");
            return None;
        }
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
        Some(flow)
    }

    pub(super) fn edge(&mut self, flow: &str, from: &str, to: &str) {
        self.edges.push(Edge::new(flow, from, to));
    }
}
