//! One connection to Redis that is replaced when it is of no more use.
//!
//! All calls share it; pipelining is what makes them cheap. Each is bounded in time. A connection is given up when its
//! socket dropped, its server turned into a replica, keeps loading, or left several calls in a row unanswered; one task
//! then dials until there is a new one. Calls wait for that only briefly: Telegram comes again.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use metrics::counter;
use redis::{Client, Cmd, FromRedisValue, Pipeline, Value};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::fault::{Fault, corrupt};
use super::link::Link;
use super::script::Call;
use crate::Result;

/// How long a call waits for a new connection.
const PATIENCE: Duration = Duration::from_millis(500);
/// The first and the longest wait between two attempts to connect.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(500));
/// With a probe each second, the bot is ready within two of Redis being back.
const _: () = assert!(BACK_OFF.1.as_millis() + PATIENCE.as_millis() <= 1000);

/// A connection that is replaced when it is of no more use.
pub(super) struct Connection {
    slot: Arc<watch::Sender<Slot>>,
    client: Client,
    call_timeout: Duration,
}

/// What there is at the moment.
#[derive(Debug, Clone)]
enum Slot {
    /// A connection.
    Up(Arc<Link>),
    /// None, for this reason; a task is dialling.
    Down(Fault),
    /// None any more.
    Closed,
}

/// Something to ask of Redis.
#[derive(Clone, Copy)]
pub(super) enum Ask<'a> {
    /// A script.
    Call(&'a Call),
    /// Several scripts, answered with an array.
    Calls(&'a [Call]),
    /// A command.
    Cmd(&'a Cmd),
    /// Several commands, answered with an array.
    Cmds(&'a Pipeline),
}

impl Connection {
    /// Connects, or says why not.
    pub(super) async fn open(client: Client, call_timeout: Duration) -> Result<Self> {
        let link = timeout_at(Instant::now() + call_timeout, Link::dial(&client)).await;
        let link = link.unwrap_or_else(|_| Err(Fault::timeout()))?;
        let (slot, _) = watch::channel(Slot::Up(Arc::new(link)));
        Ok(Self { slot: Arc::new(slot), client, call_timeout })
    }

    /// Asks, within the time a call may take. A script whose socket dropped is asked for once more, since repeating
    /// one is safe.
    pub(super) async fn ask<T: FromRedisValue>(&self, ask: Ask<'_>) -> Result<T> {
        let deadline = Instant::now() + self.call_timeout;
        let mut answer = self.once(ask, deadline).await;
        if ask.is_repeatable() && answer.as_ref().is_err_and(|fault| fault.kind == "io") {
            answer = self.once(ask, deadline).await;
        }
        T::from_redis_value(answer?).map_err(|error| corrupt(&error))
    }

    /// Lets go of the connection, for good.
    pub(super) fn close(&self) {
        self.slot.send_replace(Slot::Closed);
    }

    async fn once(&self, ask: Ask<'_>, deadline: Instant) -> std::result::Result<Value, Fault> {
        let link = self.link(deadline).await?;
        let answer = timeout_at(deadline, link.send(ask)).await;
        let answer = answer.unwrap_or_else(|_| Err(Fault::timeout()));
        match &answer {
            Ok(_) => link.answered(),
            Err(fault) if link.is_beyond_hope(fault) => self.give_up(&link, fault),
            Err(_) => {}
        }
        answer
    }

    /// The connection, or the reason why there is none even after a short wait.
    async fn link(&self, deadline: Instant) -> std::result::Result<Arc<Link>, Fault> {
        if let Slot::Up(link) = &*self.slot.borrow() {
            return Ok(link.clone());
        }
        let mut slot = self.slot.subscribe();
        let deadline = deadline.min(Instant::now() + PATIENCE);
        let is_settled = |slot: &Slot| !matches!(slot, Slot::Down(_));
        let _ = timeout_at(deadline, slot.wait_for(is_settled)).await;
        match &*self.slot.borrow() {
            Slot::Up(link) => Ok(link.clone()),
            Slot::Down(fault) => Err(fault.clone()),
            Slot::Closed => Err(Fault::new("closed", "the store is closed")),
        }
    }

    /// Drops the connection, unless that has happened already, and dials for another.
    fn give_up(&self, link: &Arc<Link>, fault: &Fault) {
        let was_current = self.slot.send_if_modified(|slot| {
            let is_current = matches!(slot, Slot::Up(current) if Arc::ptr_eq(current, link));
            if is_current {
                *slot = Slot::Down(fault.clone());
            }
            is_current
        });
        if was_current {
            counter!("steadfast_store_reconnects_total", "reason" => fault.kind).increment(1);
            tracing::warn!(reason = fault.kind, detail = fault.detail, "connecting to Redis anew");
            tokio::spawn(dial(Arc::downgrade(&self.slot), self.client.clone()));
        }
    }
}

impl Ask<'_> {
    fn is_repeatable(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Calls(_))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("slot", &*self.slot.borrow()).finish_non_exhaustive()
    }
}

/// Dials until there is a connection or nobody wants one.
async fn dial(slot: Weak<watch::Sender<Slot>>, client: Client) {
    let (mut wait, longest) = BACK_OFF;
    loop {
        let answer = Link::dial(&client).await;
        let (Some(slot), is_up) = (slot.upgrade(), answer.is_ok()) else {
            return;
        };
        let next = answer.map_or_else(Slot::Down, |link| Slot::Up(Arc::new(link)));
        let is_open = slot.send_if_modified(|slot| {
            let is_open = !matches!(slot, Slot::Closed);
            if is_open {
                *slot = next;
            }
            is_open
        });
        if is_up || !is_open {
            return;
        }
        drop(slot);
        sleep(wait).await;
        wait = longest.min(wait * 2);
    }
}
