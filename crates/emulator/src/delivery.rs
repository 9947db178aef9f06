//! Brings updates to the webhook, as Telegram does: line by line, side by side, again and again until they are taken or too old.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::clock::Millis;
use super::desk::Desk;
use super::faults::{Fault, Kind};
use super::lines::Lines;
use super::params::Params;
use super::queue::{Attempt, State, Update};
use super::world::World;
use connection::Target;
use pace::Pace;
use trip::{Outcome, Reply, Return, Trip};

mod connection;
mod opening;
mod pace;
mod trip;
pub(super) mod trust;
mod wire;

/// The longest that a webhook can ask to be left alone, in seconds.
const LONGEST_PAUSE: u64 = 3600;
/// How long a webhook may answer 410, and nothing else, before it is deleted.
const GONE: Millis = 23 * 3_600_000;
/// How often it is looked whether something is too old.
const LOOK: Millis = 60_000;

/// Delivers until told to stop.
pub(super) async fn deliver(desk: Arc<Desk>, stop: CancellationToken) {
    let mut courier = Courier::new(desk);
    stop.run_until_cancelled(async {
        loop {
            courier.round().await;
        }
    })
    .await;
}

/// Who brings updates to the webhook.
struct Courier {
    desk: Arc<Desk>,
    /// Of which life of the webhook everything below is.
    life: Option<u64>,
    lines: Lines,
    pace: Pace,
    target: Option<Arc<Target>>,
    trips: JoinSet<Return>,
}

impl Courier {
    fn new(desk: Arc<Desk>) -> Self {
        Self {
            desk,
            life: None,
            lines: Lines::default(),
            pace: Pace::default(),
            target: None,
            trips: JoinSet::new(),
        }
    }

    /// Sends what may be sent, and waits for something to happen.
    async fn round(&mut self) {
        let desk = Arc::clone(&self.desk);
        let stirred = desk.stirred();
        tokio::pin!(stirred);
        stirred.as_mut().enable();
        let wake = self.send_all();
        tokio::select! {
            () = stirred => {}
            () = desk.clock.sleep_until(wake) => {}
            Some(back) = self.trips.join_next() => {
                if let Ok(back) = back {
                    self.settle(back);
                }
            }
        }
    }

    /// Sends all that may go now; answers when there may be more.
    fn send_all(&mut self) -> Millis {
        let desk = Arc::clone(&self.desk);
        let world = &mut *desk.world();
        let now = world.now();
        self.renew(world);
        self.pace.close_idle(now);
        for seq in world.queue.expired(now) {
            world.settle(seq, State::Dropped);
        }
        let wake = now + LOOK;
        let (Some(webhook), Some(target)) = (&world.webhook, self.target.clone()) else {
            world.copies.clear();
            return wake;
        };
        let most = webhook.max_connections;
        self.send_copies(world, &target);
        loop {
            self.lines.read_ahead(&world.queue, now, 2 * most);
            let Some((seq, line)) = self.lines.take(now) else {
                return wake.min(self.lines.next_at().unwrap_or(wake));
            };
            let update = world.queue.get(seq);
            let Some(update) = update.filter(|update| update.state.is_pending()) else {
                self.lines.settled(line);
                continue;
            };
            let seats = most.min(self.lines.len());
            let seated = match update.hurries() {
                true => self.pace.seat_at_once(now, seats),
                false => self.pace.seat(now, seats),
            };
            if let Err(moment) = seated {
                self.lines.put_back(line);
                return wake.min(moment.unwrap_or(wake));
            }
            self.send(world, &target, seq);
        }
    }

    /// Another webhook, or the same one anew: what is in flight is given up.
    fn renew(&mut self, world: &World) {
        if self.life == Some(world.life) {
            return;
        }
        self.life = Some(world.life);
        self.trips = JoinSet::new();
        self.lines = Lines::default();
        self.pace = Pace::default();
        self.target = world.webhook.as_ref().and_then(Target::read).map(Arc::new);
    }

    /// Sends the update whose turn it is.
    fn send(&mut self, world: &mut World, target: &Arc<Target>, seq: u64) {
        let Some(update) = world.queue.get(seq) else {
            return;
        };
        let (kind, chat) = (update.kind.clone(), update.chat);
        let own = world.queue.get_mut(seq).and_then(|it| it.faults.pop());
        let fault = own.or_else(|| world.faults.of_delivery(&kind, chat));
        if fault.as_ref().is_some_and(|it| it.id != 0) {
            world.tell("faults", json!({ "faults": world.faults.list() }));
        }
        world.settle(seq, State::InFlight);
        let connection = self.pace.idle();
        self.go(world, target, seq, fault.clone(), connection, false);
        if fault.is_some_and(|fault| fault.kind == Kind::Twice) {
            self.go(world, target, seq, None, None, true);
        }
    }

    /// Copies that were asked for are sent at once, beside everything.
    fn send_copies(&mut self, world: &mut World, target: &Arc<Target>) {
        for seq in std::mem::take(&mut world.copies) {
            self.go(world, target, seq, None, None, true);
        }
    }

    fn go(
        &mut self,
        world: &World,
        target: &Arc<Target>,
        seq: u64,
        fault: Option<Fault>,
        connection: Option<connection::Connection>,
        is_copy: bool,
    ) {
        let Some(update) = world.queue.get(seq) else {
            return;
        };
        let trip = Trip {
            seq,
            line: update.queue,
            is_copy,
            target: Arc::clone(target),
            connection,
            body: Bytes::from(update.body.clone()),
            flushed: None,
            fault,
            desk: Arc::clone(&self.desk),
        };
        self.trips.spawn(trip.go());
    }

    /// What a trip came to.
    fn settle(&mut self, mut back: Return) {
        if !back.is_copy {
            let now = self.desk.clock.now();
            self.pace.back(back.connection.take(), now);
        }
        let desk = Arc::clone(&self.desk);
        let world = &mut *desk.world();
        // The webhook may have been set anew between the answer and now; then it is sent again.
        if self.life != Some(world.life) {
            return;
        }
        let now = world.now();
        let method = note(world, &mut back, now);
        match &back.outcome {
            Outcome::Answered(reply) if (200..300).contains(&reply.status) => {
                self.succeed(world, &back, now);
                if let Some((method, params)) = method {
                    self.call(method, params);
                }
            }
            _ => self.fail(world, &back, now),
        }
        world.tell_update(back.seq);
        desk.changed.notify_one();
    }

    fn succeed(&mut self, world: &mut World, back: &Return, now: Millis) {
        self.pace.succeeded(now);
        if let Some(webhook) = &mut world.webhook {
            webhook.gone_since = None;
        }
        if back.is_copy {
            return;
        }
        if back.forgets {
            return self.again(world, back, now, None);
        }
        world.settle(back.seq, State::Acknowledged);
        self.lines.settled(back.line);
        if back.resends {
            super::acts::press_again(world, back.seq);
            self.desk.stir();
        }
    }

    fn fail(&mut self, world: &mut World, back: &Return, now: Millis) {
        let mut pause = None;
        let date = now / 1000;
        let Some(webhook) = &mut world.webhook else {
            return;
        };
        match &back.outcome {
            Outcome::Answered(reply) => {
                pause = reply.retry_after;
                webhook.last_error = Some((date, reply.complaint()));
                let since = webhook.gone_since.unwrap_or(now);
                webhook.gone_since = (reply.status == 410).then_some(since);
                if reply.status == 410 && now.saturating_sub(since) > GONE {
                    world.webhook = None;
                    return world.begin_anew();
                }
            }
            Outcome::Lost(Some(words)) => webhook.last_error = Some((date, words.clone())),
            // A clean close is not complained about.
            Outcome::Lost(None) => {}
        }
        if !back.is_copy {
            self.again(world, back, now, pause);
        }
    }

    /// It is sent again after a while, unless it will be too old by then.
    fn again(&mut self, world: &mut World, back: &Return, now: Millis, asked: Option<u64>) {
        let Some(update) = world.queue.get_mut(back.seq) else {
            return self.lines.settled(back.line);
        };
        let at = now + pause(update, asked) * 1000;
        if at > update.expires || !update.state.is_pending() {
            if update.state.is_pending() {
                world.settle(back.seq, State::Dropped);
            }
            return self.lines.settled(back.line);
        }
        world.settle(back.seq, State::Waiting);
        self.lines.again(back.line, at);
    }

    /// Does what the answer asked for; nobody hears what came of it.
    fn call(&self, method: String, params: Params) {
        let desk = Arc::clone(&self.desk);
        tokio::spawn(async move { desk.take(None, &method, &params) });
    }
}

/// How many seconds to wait after a failure: none after the first, then twice as long each time up to a minute or two; or as
/// long as the webhook asked.
fn pause(update: &mut Update, asked: Option<u64>) -> u64 {
    let is_first = update.failures == 0;
    update.failures += 1;
    if let Some(asked) = asked {
        return asked.min(LONGEST_PAUSE);
    }
    if is_first {
        return 0;
    }
    update.pause = (update.pause * 2).min(rand::random_range(60..=120));
    update.pause
}

/// Writes down how a trip ended; answers the method that its answer asks for.
fn note(world: &mut World, back: &mut Return, now: Millis) -> Option<(String, Params)> {
    let asked = match &mut back.outcome {
        Outcome::Answered(reply) => asked(reply),
        Outcome::Lost(_) => None,
    };
    let mut attempt = Attempt {
        at: back.began,
        duration_ms: now.saturating_sub(back.began),
        took: back.took,
        response_method: asked.as_ref().map(|(method, _)| method.clone()),
        ..Attempt::default()
    };
    match &back.outcome {
        Outcome::Answered(reply) => attempt.status = Some(reply.status),
        Outcome::Lost(words) => {
            let words = words.as_deref().unwrap_or("the connection was closed without an answer");
            attempt.error = Some(words.to_owned());
        }
    }
    if let Some(onlooker) = &world.onlooker {
        onlooker(&attempt);
    }
    if let Some(update) = world.queue.get_mut(back.seq) {
        update.attempts.push(attempt);
    }
    asked
}

/// The method that an answer asks for, if it may.
fn asked(reply: &mut Reply) -> Option<(String, Params)> {
    let mut params = std::mem::take(&mut reply.params);
    let Value::String(method) = params.values.remove("method")? else {
        return None;
    };
    let name = method.to_ascii_lowercase();
    let is_excluded =
        ["", "setwebhook", "deletewebhook", "close", "logout"].contains(&name.as_str());
    let may = (200..300).contains(&reply.status) && !is_excluded && !name.starts_with("get");
    may.then_some((method, params))
}

#[cfg(test)]
mod tests {
    use super::super::queue::{Queue, kind};
    use super::*;

    #[test]
    fn pauses_double_from_two_seconds_and_stay_at_a_minute_or_two() {
        let mut queue = Queue::default();
        let update = queue.push(kind::MESSAGE.of(1), 1, 0, "{}").expect("an update");
        let pauses: Vec<u64> = (0..9).map(|_| pause(update, None)).collect();
        assert_eq!(pauses[..6], [0, 2, 4, 8, 16, 32]);
        assert!((60..=64).contains(&pauses[6]), "{pauses:?}");
        assert!(pauses[7..].iter().all(|it| (60..=120).contains(it)), "{pauses:?}");
    }

    #[test]
    fn what_the_webhook_asks_for_counts_at_once_and_at_most_an_hour() {
        let mut queue = Queue::default();
        let update = queue.push(kind::MESSAGE.of(1), 1, 0, "{}").expect("an update");
        assert_eq!(pause(update, Some(7)), 7);
        assert_eq!(pause(update, Some(7_000)), 3600);
        assert_eq!(pause(update, None), 2, "the pauses of its own did not double");
    }
}
