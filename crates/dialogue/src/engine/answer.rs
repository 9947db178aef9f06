//! Everything else that people do: an answer to the waiting flow, or the beginning of one.

use super::{Halt, Play, halt};
use crate::erased::{Act, Acted, AnyFlow, Placed, Stop, Taken};
use crate::input::Refusal;
use crate::prompt::say;
use crate::saved::Draft;
use crate::step::Hint;
use crate::text::{Text, text};

/// What comes of something that may be the beginning of a flow.
pub(super) enum Opening {
    /// This flow begins, with its first step.
    Begins(&'static str, Box<Taken>),
    /// It would begin one that is not for this person.
    Refused,
    /// It begins nothing.
    Nothing,
}

impl Play<'_> {
    /// Gives what was done to the waiting flow, else to the draft it was meant for, else to whoever opens on it.
    pub(super) fn answer(&mut self) -> Result<(), Halt> {
        if self.overheard()? {
            return Ok(());
        }
        if self.dialogue.live.is_none() {
            self.revive_in_time();
        }
        match self.act(Act::Answer)? {
            Some(Acted::Taken(taken)) => self.take_live(taken),
            Some(Acted::Hint(Hint(hint), placed)) => self.hint(hint, &placed),
            Some(_) => Ok(()),
            None if self.dialogue != self.before => Ok(()),
            None if self.open()? => Ok(()),
            None => {
                self.not_understood();
                Ok(())
            }
        }
    }

    /// Gives a message that answers another one to the flow that knows that one, whichever flow waits. Answers whether any does.
    fn overheard(&mut self) -> Result<bool, Halt> {
        let is_reply = self.turn.reply_to.is_some();
        let opened = self.first_opening(|flow| is_reply && flow.hears_replies())?;
        self.take_opening(opened)
    }

    /// Takes up a dialogue that is lost, if the records know of one. Answers whether they do.
    pub(super) fn find_lost(&mut self) -> Result<bool, Halt> {
        let found = self.first_opening(|flow| flow.finds_lost())?;
        self.take_opening(found)
    }

    /// A record was refused. The flow that gave it hears of it: as an answer if it is still there, else as a beginning; if it has
    /// nothing to say, the person is told the plain truth.
    pub(super) fn refused(&mut self, refusal: &Refusal) -> Result<(), Halt> {
        let live = self.dialogue.live.as_ref();
        if live.is_some_and(|live| live.flow == refusal.flow) {
            return match self.act(Act::Answer)? {
                Some(Acted::Taken(taken)) => self.take_live(taken),
                Some(Acted::Barred) => Ok(()),
                // A hint is about an answer, and nobody gave one.
                _ => self.plain_truth(refusal),
            };
        }
        let opened = match self.flows.flow(&refusal.flow) {
            Some(flow) => self.opened(flow)?,
            None => Opening::Nothing,
        };
        match self.take_opening(opened)? {
            true => Ok(()),
            false => self.plain_truth(refusal),
        }
    }

    fn plain_truth(&mut self, refusal: &Refusal) -> Result<(), Halt> {
        let prompt = match refusal.reason.as_str() {
            "" => say("apology"),
            reason => say(text("refused").with("reason", reason)),
        };
        self.say(&prompt);
        self.offer_menu();
        Ok(())
    }

    /// An answer given before the wait was over, but delivered after: the draft goes on as if it had been in time.
    pub(super) fn revive_in_time(&mut self) {
        let Some(sent) = self.turn.sent else { return };
        let in_time = |draft: &Draft| draft.expired && sent < draft.at;
        if let Some(at) = self.dialogue.parked.iter().rposition(in_time) {
            let draft = self.dialogue.parked.remove(at);
            self.revive(draft);
        }
    }

    /// Good advice, which leaves the state alone but shows that somebody is there.
    pub(super) fn hint(&mut self, hint: Text, placed: &Placed) -> Result<(), Halt> {
        let now = self.turn.now;
        let due = self.due(placed);
        if let Some(live) = &mut self.dialogue.live {
            (live.active, live.due) = (now, due);
        }
        if self.toast.is_some() {
            self.toast = Some(hint);
        } else {
            self.say(&say(hint));
        }
        Ok(())
    }

    /// What was sent is taken as it was. Who changes it while something is asked is told how to answer instead.
    pub(super) fn edited(&mut self) {
        if self.turn.key.chat > 0 && self.dialogue.live.is_some() {
            self.say(&say("edited-hint"));
        }
    }

    /// In a group people talk to each other; in private they talk to the bot.
    pub(super) fn not_understood(&mut self) {
        if self.turn.key.chat > 0 {
            self.say(&say("not-understood"));
        }
    }

    /// Opens the first flow that opens on this.
    pub(super) fn open(&mut self) -> Result<bool, Halt> {
        let opening = self.opening()?;
        self.take_opening(opening)
    }

    fn take_opening(&mut self, opening: Opening) -> Result<bool, Halt> {
        match opening {
            Opening::Begins(flow, taken) => self.begin(flow, *taken).map(|_| true),
            Opening::Refused => self.refuse_entry().map(|()| true),
            Opening::Nothing => Ok(false),
        }
    }

    /// What the first flow that opens on this makes of it: what was lost comes before what would begin.
    pub(super) fn opening(&self) -> Result<Opening, Halt> {
        match self.first_opening(|flow| flow.finds_lost())? {
            Opening::Nothing => self.first_opening(|flow| !flow.finds_lost()),
            found => Ok(found),
        }
    }

    /// What the first of these flows that opens on this makes of it.
    fn first_opening(&self, is_asked: impl Fn(&dyn AnyFlow) -> bool) -> Result<Opening, Halt> {
        let flows = self.flows.flows.iter().map(|flow| &**flow);
        let mut asked = flows.filter(|flow| is_asked(*flow));
        asked.try_fold(Opening::Nothing, |opened, flow| match opened {
            Opening::Nothing => self.opening_of(flow),
            opened => Ok(opened),
        })
    }

    /// What this flow makes of it.
    pub(super) fn opening_of(&self, flow: &dyn AnyFlow) -> Result<Opening, Halt> {
        Ok(match self.opened(flow)? {
            Opening::Begins(..) if !self.may_begin(flow)? && !self.is_admitted(flow)? => {
                Opening::Refused
            }
            opening => opening,
        })
    }

    /// What this flow makes of it, whoever it is for.
    fn opened(&self, flow: &dyn AnyFlow) -> Result<Opening, Halt> {
        match flow.open(&self.turn) {
            Ok(Some(taken)) => Ok(Opening::Begins(flow.name(), Box::new(taken))),
            Ok(None) => Ok(Opening::Nothing),
            Err(Stop::Barred) => Ok(Opening::Refused),
            Err(stop) => Err(halt(flow.name(), 0, stop)),
        }
    }
}
