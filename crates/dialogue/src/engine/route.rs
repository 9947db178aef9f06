//! Where the dialogue goes: steps are taken, flows put aside and taken up again.

use std::time::Duration;

use super::answer::Opening;
use super::{Halt, Play, halt};
use crate::Millis;
use crate::edge::{Edge, Passage};
use crate::erased::{Act, Acted, Onward, Placed, Stop, Taken};
use crate::input::Input;
use crate::prompt::say;
use crate::saved::{Draft, Due, DueTo, Live, State};
use crate::step::Deed;
use crate::text::text;

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
            Err(Stop::Barred) => self.bar().map(|()| Some(Acted::Barred)),
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
        // What comes back refused is told as it is, and never dropped for want of room.
        let is_refusal = matches!(self.turn.input, Input::Refused(_));
        if !is_refusal && self.is_there(flow) {
            return self.go_on(flow).map(|()| true);
        }
        if !is_refusal && !self.may_interrupt(None) {
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
        self.edge(flow, START, "done", None);
        deeds.into_iter().for_each(|deed| self.deed(flow, deed));
        self.offer_menu();
    }

    /// Whether the flow is to go on, and is under way or put aside.
    fn is_there(&self, name: &str) -> bool {
        let live = self.dialogue.live.iter().map(|live| &live.flow);
        let mut there = live.chain(self.dialogue.parked.iter().map(|draft| &draft.flow));
        let flow = self.flows.flow(name);
        flow.is_some_and(|flow| flow.goes_on()) && there.any(|there| there == name)
    }

    /// Goes on with what is under way, else with the draft.
    fn go_on(&mut self, flow: &str) -> Result<(), Halt> {
        let live = self.dialogue.live.as_ref();
        match live.is_some_and(|live| live.flow == flow) {
            true => self.ask_again(),
            false => self.resume(flow),
        }
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
            Onward::At(mut placed, prompt) => {
                let arrival = std::mem::take(&mut placed.arrival);
                self.enter(flow, from, placed, prompt.is_some());
                arrival.into_iter().for_each(|deed| self.deed(flow, deed));
                if let Some(prompt) = prompt {
                    self.ask(flow, &prompt);
                }
            }
            Onward::Done => {
                let stood = from.and_then(|_| self.stood());
                self.dialogue.live = None;
                self.edge(flow, from.unwrap_or(START), "done", stood);
                self.offer_menu();
                self.offer_drafts();
            }
            Onward::Park(placed) => {
                self.enter(flow, from, placed, false);
                let expired = self.is_timer();
                self.set_aside(expired);
                self.offer(flow, if expired { "expired" } else { "parked" });
            }
            Onward::Open { park, flow: other, arg } => {
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
        assert!(self.hops <= MAX_HOPS, "flows open one another without an end");
        let took_over = match self.linked(other, arg)? {
            Opening::Begins(flow, taken) => self.begin(flow, *taken)?,
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
        let (now, stays) = (self.turn.now, from == Some(&to));
        if asked || !stays {
            let stood = from.filter(|_| !stays).and_then(|_| self.stood());
            self.edge(flow, from.unwrap_or(START), &to, stood);
        }
        let live = self.dialogue.live.as_ref();
        let before = live.filter(|live| live.flow == flow && from.is_some());
        let since = before.map_or(now, |live| live.since);
        let entered = before.filter(|_| stays).map(|live| live.entered);
        self.dialogue.live = Some(Live {
            flow: flow.to_owned(),
            nonce: self.nonce.clone(),
            since,
            entered: entered.unwrap_or(now.saturating_sub(since)),
            active: now,
            due: self.due(&placed),
            schema: placed.schema,
            state: placed.state,
        });
        self.dialogue.told = false;
    }

    /// Takes a draft up where it was put down.
    pub(super) fn revive(&mut self, draft: Draft) {
        let (now, at) = (self.turn.now, draft.state.at().into_owned());
        self.edge(&draft.flow, "parked", &at, Some(self.lay(&draft)));
        self.dialogue.live = Some(Live {
            flow: draft.flow,
            schema: draft.schema,
            state: draft.state,
            nonce: draft.nonce,
            since: draft.since,
            entered: now.saturating_sub(draft.since),
            active: now,
            due: Due { at: draft.until.max(now), to: DueTo::Expire },
        });
    }

    /// Asks the live state's question anew, with fresh buttons.
    pub(super) fn ask_again(&mut self) -> Result<(), Halt> {
        if let Some(Acted::Taken(Taken { next: Onward::At(placed, Some(prompt)), .. })) =
            self.act(Act::Ask)?
        {
            let due = self.due(&placed);
            if let Some(live) = &mut self.dialogue.live {
                (live.active, live.due) = (self.turn.now, due);
                live.nonce.clone_from(&self.nonce);
                let flow = live.flow.clone();
                let arrival = placed.arrival.into_iter();
                arrival.for_each(|deed| self.deed(&flow, deed));
                self.ask(&flow, &prompt);
            }
        }
        Ok(())
    }

    /// Ends the live flow at somebody's word, with what that causes; answers which it was.
    pub(super) fn cancel_live(&mut self) -> Option<String> {
        let live = self.dialogue.live.as_ref()?;
        let (flow, schema, state) = (live.flow.clone(), live.schema, live.state.clone());
        self.cancelled(&flow, schema, &state);
        self.leave("cancelled")
    }

    /// Does what ending a draft causes, unless its flow is under way anew: what that one keeps is its own.
    pub(super) fn dropped(&mut self, draft: &Draft) {
        let live = self.dialogue.live.as_ref();
        if live.is_none_or(|live| live.flow != draft.flow) {
            self.cancelled(&draft.flow, draft.schema, &draft.state);
        }
    }

    /// Does what ending a flow half-way causes.
    pub(super) fn cancelled(&mut self, name: &str, schema: u32, state: &State) {
        let flow = self.flows.flow(name);
        let deeds = flow.map(|flow| flow.cancelled(schema, state, &self.turn));
        for deed in deeds.into_iter().flatten() {
            self.deed(name, deed);
        }
    }

    /// Ends the live flow; answers which it was.
    pub(super) fn leave(&mut self, to: &str) -> Option<String> {
        let stood = self.stood();
        let live = self.dialogue.live.take()?;
        self.edge(&live.flow, &live.state.at(), to, stood);
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
        let stood = self.stood();
        let live = self.dialogue.live.take()?;
        let drafts = &mut self.dialogue.parked;
        if let Some(at) = drafts.iter().position(|draft| draft.flow == live.flow) {
            let older = drafts.remove(at);
            self.edge(&live.flow, "parked", "replaced", Some(self.lay(&older)));
        }
        self.edge(&live.flow, &live.state.at(), "parked", stood);
        let flow = live.flow.clone();
        let data_ttl = self.data_ttl(&live);
        if data_ttl == 0 {
            self.edge(&flow, "parked", "forgotten", Some(0));
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

    /// How long the live flow has stood where it is.
    fn stood(&self) -> Option<Millis> {
        let live = self.dialogue.live.as_ref()?;
        Some(self.turn.now.saturating_sub(live.since + live.entered))
    }

    /// How long a draft has lain aside.
    pub(super) fn lay(&self, draft: &Draft) -> Millis {
        self.turn.now.saturating_sub(draft.at)
    }

    /// Notes a transition, and how long the dialogue had stood in what it leaves.
    pub(super) fn edge(&mut self, flow: &str, from: &str, to: &str, stood: Option<Millis>) {
        self.edges.push(Passage {
            edge: Edge::new(flow, from, to),
            stood: stood.map(Duration::from_millis),
        });
    }
}
