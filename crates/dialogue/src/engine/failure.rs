//! What becomes of a turn that cannot be played.

use super::Play;
use crate::flow::OnError;
use crate::input::Input;
use crate::prompt::say;

impl Play<'_> {
    /// Whoever wants to begin anew does, whatever the flow says to that: its own code may be what fails.
    pub(super) fn give_up(&mut self) {
        if let Input::Command(command) = &self.turn.input {
            match command.name.as_str() {
                "start" => return self.park_failed(),
                "cancel" => return self.end_failed(),
                _ => {}
            }
        }
        if matches!(self.turn.input, Input::Reset) {
            return self.end_failed();
        }
        let policy = self.dialogue.live.as_ref().and_then(|live| {
            let flow = self.flows.flow(&live.flow)?;
            Some(flow.on_error(live.schema, &live.state))
        });
        match policy {
            Some(OnError::Clear) => self.clear(),
            _ if self.is_timer() => self.give_up_waiting(),
            Some(OnError::Park) => self.park_failed(),
            Some(OnError::Rollback) | None => self.say(&say("apology")),
        }
    }

    /// Ends the flow without asking it or any other.
    fn end_failed(&mut self) {
        match self.leave("failed") {
            Some(_) => self.say(&say("apology-cleared")),
            None => self.say(&say("apology")),
        }
    }

    /// Nobody is held by what fails, and nothing of it is lost.
    fn park_failed(&mut self) {
        match self.set_aside(false) {
            Some(flow) => self.offer(&flow, "apology-parked"),
            None => self.say(&say("apology-cleared")),
        }
    }

    /// A timer that cannot be played must not fire again and again: what is due goes aside without asking its flow.
    fn give_up_waiting(&mut self) {
        let _ = self.forget_drafts();
        if self.due_now().is_some()
            && let Some(flow) = self.set_aside(true)
        {
            self.offer(&flow, "expired");
        }
    }

    pub(super) fn clear(&mut self) {
        if self.is_timer() {
            let _ = self.forget_drafts();
        }
        self.leave("failed");
        self.say(&say("apology-cleared"));
        self.offer_menu();
        self.offer_drafts();
    }

    /// Says once that the question has to wait, and over a button as often as it is pressed. A timer waits as well, unless nobody knows
    /// the flow at all: a build may have left it out for good, and what stands in it would stand there for ever.
    pub(super) fn keep_for_newer(&mut self) {
        if self.is_timer() {
            self.set_unknown_aside();
        } else if matches!(self.turn.input, Input::Press(_)) {
            self.toast = Some("newer-state".into());
        } else if !std::mem::replace(&mut self.dialogue.told, true) {
            self.say(&say("newer-state"));
        }
    }

    /// Without a word: there is none for what nobody knows. A build that does can still go on with it.
    fn set_unknown_aside(&mut self) {
        let live = self.dialogue.live.as_ref();
        let is_unknown = live.is_some_and(|live| self.flows.flow(&live.flow).is_none());
        if is_unknown && self.due_now().is_some() {
            self.set_aside(true);
        }
    }
}
