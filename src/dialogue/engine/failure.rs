//! What becomes of a turn that cannot be played.

use super::Play;
use crate::dialogue::flow::OnError;
use crate::dialogue::input::Input;
use crate::dialogue::prompt::say;

impl Play<'_> {
    pub(super) fn give_up(&mut self) {
        let policy = self.dialogue.live.as_ref().and_then(|live| {
            let flow = self.flows.flow(&live.flow)?;
            Some(flow.on_error(live.schema, &live.state))
        });
        if policy == Some(OnError::Clear) {
            return self.clear();
        }
        // A timer that cannot be played must not fire again and again.
        if matches!(self.turn.input, Input::Timer) {
            self.set_aside(true);
        }
        self.say(&say("apology"));
    }

    pub(super) fn clear(&mut self) {
        self.leave("failed");
        self.say(&say("apology-cleared"));
    }

    pub(super) fn keep_for_newer(&mut self) {
        if !std::mem::replace(&mut self.dialogue.told, true) {
            self.say(&say("newer-state"));
        }
    }
}
