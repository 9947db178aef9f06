//! The calls of the bot, as whoever looks on sees them.

use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use super::clock::Millis;
use super::faults::Fault;
use super::world::World;

/// How many calls are remembered.
const REMEMBERED: usize = 20_000;

/// A call of the bot and its answer.
#[derive(Debug, Clone, Serialize)]
pub struct Call {
    /// Which call this is.
    pub seq: u64,
    /// When it came, by the emulator's clock.
    pub at: Millis,
    /// When it came, by the machine's.
    #[serde(skip)]
    pub came: Instant,
    /// Who called, where replicas are told addresses of their own: what stands before `/bot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The method, as it was written.
    pub method: String,
    /// Its parameters; files by their names.
    pub params: Value,
    /// The status of the answer; 0 as long as there is none, and where a fault keeps it back.
    pub status: u16,
    /// The answer.
    pub answer: Value,
    /// How long it took.
    pub duration_ms: Millis,
    /// When it was answered, by the machine's clock.
    #[serde(skip)]
    pub answered: Option<Instant>,
    /// What went wrong with it on command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

impl Call {
    /// The chat it is for.
    pub fn chat(&self) -> i64 {
        let chat = &self.params["chat_id"];
        let number = || chat.as_str()?.parse().ok();
        chat.as_i64().or_else(number).unwrap_or_default()
    }
}

impl World {
    /// A call that has just come.
    pub(super) fn begin_call(&mut self, caller: Option<&str>, method: &str, params: Value) -> Call {
        self.last_call += 1;
        Call {
            seq: self.last_call,
            at: self.now(),
            came: Instant::now(),
            caller: caller.map(str::to_owned),
            method: method.to_owned(),
            params,
            status: 0,
            answer: Value::Null,
            duration_ms: 0,
            answered: None,
            fault: None,
        }
    }

    /// Whoever looks on can see this call from now on.
    pub(super) fn remember(&mut self, call: Call) {
        let is_silent = call.fault.as_ref().is_some_and(Fault::is_silent);
        let (seq, is_over) = (call.seq, call.status != 0 || is_silent);
        self.calls.push_back(call);
        if self.calls.len() > REMEMBERED && !self.queue.remembers_all {
            self.calls.pop_front();
        }
        if is_over {
            self.tell_call(seq);
        }
    }

    /// A call that is remembered: they are numbered without a gap.
    pub(super) fn call_mut(&mut self, seq: u64) -> Option<&mut Call> {
        let first = self.calls.front()?.seq;
        let at = usize::try_from(seq.checked_sub(first)?).ok()?;
        self.calls.get_mut(at)
    }

    /// Tells of a call as it is now.
    pub(super) fn tell_call(&mut self, seq: u64) {
        if !self.is_watched() {
            return;
        }
        if let Some(call) = self.call_mut(seq) {
            let shown = serde_json::to_value(&*call).unwrap_or_default();
            self.tell("call", shown);
        }
    }
}
