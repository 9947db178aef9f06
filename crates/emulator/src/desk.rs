//! What all parts of an emulator share: the world under its lock, the clock, and a bell.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, broadcast, watch};

use super::api::{self, Answer, Refusal};
use super::clock::{Clock, Millis};
use super::faults::{Fault, Kind};
use super::limits::Meter;
use super::params::Params;
use super::people::People;
use super::world::World;

/// How many events may wait for somebody who looks on.
const EVENTS: usize = 1024;

/// What is shared.
#[derive(Debug)]
pub(super) struct Desk {
    world: Mutex<World>,
    pub(super) clock: Clock,
    pub(super) events: broadcast::Sender<String>,
    /// Something changed that somebody may wait for.
    bell: Notify,
    /// Something changed that is to be written down.
    pub(super) changed: Notify,
    /// Whoever writes it down has this: one at a time, and what is written last is the latest.
    pub(super) writing: Mutex<()>,
    /// How long a press may be answered.
    pub(super) answer_within: Millis,
    /// How often the server restarted.
    pub(super) restarts: watch::Sender<u64>,
    /// Updates are sent from here, so that the host of a webhook is to be found.
    pub(super) delivers: bool,
}

/// What a call came to, and what goes wrong with saying so.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) seq: u64,
    pub(super) answer: Answer,
    pub(super) fault: Option<Fault>,
}

impl Desk {
    pub(super) fn new(
        mut world: World,
        clock: Clock,
        answer_within: Millis,
        delivers: bool,
    ) -> Arc<Self> {
        let events = broadcast::Sender::new(EVENTS);
        world.clock = clock.clone();
        world.events = Some(events.clone());
        Arc::new(Self {
            world: Mutex::new(world),
            clock,
            events,
            bell: Notify::new(),
            changed: Notify::new(),
            writing: Mutex::new(()),
            answer_within,
            restarts: watch::Sender::new(0),
            delivers,
        })
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changed.
    pub(super) fn stir(&self) {
        self.bell.notify_waiters();
        self.changed.notify_one();
    }

    /// Until something changes.
    pub(super) fn stirred(&self) -> Notified<'_> {
        self.bell.notified()
    }

    /// Changes the world, and says so.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let done = {
            let mut world = self.world();
            let done = change(&mut world);
            world.note();
            done
        };
        self.stir();
        done
    }

    /// Takes a call: writes it down, and carries it out unless it shall fail. A poll is only written down.
    pub(super) fn take(&self, caller: Option<&str>, method: &str, params: &Params) -> Taken {
        self.change(|world| {
            let mut call = world.begin_call(caller, method, shown(params));
            let ruled = world.rule.as_ref().and_then(|rule| rule(&call));
            call.fault = ruled.or_else(|| world.faults.of_call(method, call.chat()));
            if call.fault.as_ref().is_some_and(|it| it.id != 0) {
                world.tell("faults", json!({ "faults": world.faults.list() }));
            }
            let answer = match call.fault.as_ref().and_then(refusal) {
                Some(refusal) => Err(refusal),
                None => api::carry_out(world, method, params, self.answer_within),
            };
            let is_poll = method.eq_ignore_ascii_case("getUpdates") && answer.is_ok();
            if !is_poll {
                (call.status, call.answer) = api::envelope(&answer);
            }
            if call.fault.as_ref().is_some_and(Fault::is_silent) {
                call.status = 0;
            }
            let (seq, fault) = (call.seq, call.fault.clone());
            world.remember(call);
            Taken { seq, answer, fault }
        })
    }

    /// Writes down a call that is not carried out.
    pub(super) fn refuse(
        &self,
        caller: Option<&str>,
        method: &str,
        params: &Params,
        refusal: Refusal,
    ) -> Taken {
        self.change(|world| {
            let mut call = world.begin_call(caller, method, shown(params));
            let answer = Err(refusal);
            (call.status, call.answer) = api::envelope(&answer);
            let (seq, fault) = (call.seq, None);
            world.remember(call);
            Taken { seq, answer, fault }
        })
    }

    /// Moves the clock; whatever is due by then happens.
    pub(super) fn advance(&self, by: Duration) {
        self.clock.advance(by);
        self.change(|world| world.tell("clock", json!({ "now": world.now() })));
    }

    /// The server restarts: calls that wait for their answer are refused, and what was not acknowledged is sent again; numbers
    /// go on from a lower one if that is wanted.
    pub(super) fn restart(&self, is_lower: bool) {
        self.change(|world| {
            world.begin_anew();
            if is_lower {
                world.queue.number_lower();
            }
        });
        self.restarts.send_modify(|count| *count += 1);
    }

    /// All that was said and done is gone; people too if that is wanted.
    pub(super) fn reset(&self, people: bool) {
        self.change(|world| {
            world.begin_anew();
            world.queue.clear();
            world.chats.clear();
            world.presses.clear();
            world.files.clear();
            world.calls.clear();
            world.faults.remove(None);
            world.meter = Meter::default();
            if people {
                *world.people = People::default();
            }
            world.is_anew = true;
            world.tell("reset", json!({}));
        });
    }

    /// Waits until what is held of this chat is let go.
    pub(super) async fn let_go(&self, chat: i64) {
        loop {
            let stirred = self.stirred();
            tokio::pin!(stirred);
            stirred.as_mut().enable();
            if self.world().let_go.contains(&chat) {
                return;
            }
            stirred.await;
        }
    }

    /// Writes down that a call is answered now, and tells again of one that took its time.
    pub(super) fn answered(&self, seq: u64) {
        let world = &mut *self.world();
        let now = world.now();
        let Some(call) = world.call_mut(seq) else {
            return;
        };
        call.answered = Some(Instant::now());
        call.duration_ms = now.saturating_sub(call.at);
        // How a poll ends is told when it does.
        if call.duration_ms > 0 && call.status != 0 {
            world.tell_call(seq);
        }
    }

    /// Writes down how a poll ended.
    pub(super) fn finish(&self, seq: u64, answer: &Answer) {
        let world = &mut *self.world();
        let now = world.now();
        let Some(call) = world.call_mut(seq) else {
            return;
        };
        call.duration_ms = now.saturating_sub(call.at);
        (call.status, call.answer) = api::envelope(answer);
        world.tell_call(seq);
    }
}

/// What a fault says instead of doing anything.
fn refusal(fault: &Fault) -> Option<Refusal> {
    match fault.kind {
        Kind::TooMany => Some(Refusal::too_many(fault.retry_after.unwrap_or(3))),
        Kind::Error => {
            let words = fault.description.as_deref().unwrap_or("Internal Server Error");
            Some(Refusal::new(fault.status.unwrap_or(500), words))
        }
        _ => None,
    }
}

/// Parameters as the log shows them: files by name and size.
fn shown(params: &Params) -> Value {
    let mut values = params.values.clone();
    for (name, file) in &params.files {
        let said = format!("<{}, {} bytes>", file.name, file.bytes.len());
        values.insert(name.clone(), Value::String(said));
    }
    Value::Object(values)
}
