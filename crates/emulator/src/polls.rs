//! `getUpdates`: one poll at a time, and none while there is a webhook.

use std::sync::Arc;

use serde_json::{Value, json};

use super::api::{Answer, Refusal};
use super::clock::Millis;
use super::desk::Desk;
use super::params::Params;
use super::queue::State;
use super::world::World;

/// The same question within this time is answered with one update.
const HASTE: Millis = 500;
/// The same question within this time waits at least as long; and of two conflicts within it the second is answered after it.
const PAUSE: Millis = 3_000;
const TERMINATED: &str = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const ACTIVE: &str = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const REPLACED: &str = "Conflict: terminated by setWebhook request";

/// What is known of those who poll.
#[derive(Debug, Default)]
pub(super) struct Polls {
    /// How many polls there were: one that waits ends when there is another.
    count: u64,
    /// How many ended because there was another, or a webhook.
    pub(super) conflicts: usize,
    last_conflict: Option<Millis>,
    /// The last offset, and when it was asked for.
    last: Option<(i64, Millis)>,
}

/// A poll that is waiting.
struct Poll {
    number: u64,
    limit: usize,
    until: Millis,
}

/// Waits for updates, as long as it was asked to.
pub(super) async fn poll(desk: &Arc<Desk>, params: &Params) -> Answer {
    let begun = begin(&mut desk.world(), params);
    desk.stir();
    let refused = match begun {
        Ok(poll) => match wait(desk, &poll).await {
            Ok(updates) => return Ok(updates),
            Err(words) => words,
        },
        Err(words) => words,
    };
    conflict(desk, refused).await
}

async fn wait(desk: &Arc<Desk>, poll: &Poll) -> Result<Value, &'static str> {
    loop {
        let stirred = desk.stirred();
        tokio::pin!(stirred);
        stirred.as_mut().enable();
        if let Some(updates) = look(&mut desk.world(), poll)? {
            return Ok(updates);
        }
        tokio::select! {
            () = stirred => {}
            () = desk.clock.sleep_until(poll.until) => {}
        }
    }
}

/// Forgets what is confirmed, and says what this poll may get.
fn begin(world: &mut World, params: &Params) -> Result<Poll, &'static str> {
    if world.webhook.is_some() || world.settings.is_waiting() {
        return Err(ACTIVE);
    }
    if let Some(allowed) = params.json("allowed_updates").as_ref().and_then(Value::as_array) {
        world.queue.allowed = super::api::kinds(allowed);
    }
    let (now, offset) = (world.now(), params.int("offset"));
    confirm(world, offset);
    let limit = params.int("limit").unwrap_or(100).clamp(1, 100) as usize;
    let hold = params.int("timeout").unwrap_or(0).clamp(0, 50) as Millis * 1000;
    let polls = &mut world.polls;
    polls.count += 1;
    let last = polls.last.replace((offset.unwrap_or(0), now));
    let since =
        last.filter(|(same, _)| *same == offset.unwrap_or(0)).map(|(_, at)| now.saturating_sub(at));
    let is_repeated = since.is_some_and(|since| since < PAUSE);
    Ok(Poll {
        number: polls.count,
        limit: if since.is_some_and(|since| since < HASTE) { 1 } else { limit },
        until: now + if is_repeated { hold.max(PAUSE) } else { hold },
    })
}

/// An offset confirms what is below it; a negative one all but the last so many. What is to be seen once more is not confirmed
/// before it was.
fn confirm(world: &mut World, offset: Option<i64>) {
    let waiting = world.queue.waiting();
    let confirmed = match offset {
        None | Some(0) => return,
        Some(offset) if offset > 0 => {
            let below = waiting.iter().filter(|(id, _)| *id < offset);
            let below = below.filter(|(id, _)| !world.queue.is_beyond(offset, *id));
            below.copied().collect()
        }
        Some(offset) => {
            let keep = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
            waiting[..waiting.len().saturating_sub(keep)].to_vec()
        }
    };
    for (_, seq) in confirmed {
        if !world.queue.get(seq).is_some_and(|update| update.unseen) {
            world.settle(seq, State::Confirmed);
        }
    }
}

/// What a poll that waits is answered now, if anything.
fn look(world: &mut World, poll: &Poll) -> Result<Option<Value>, &'static str> {
    if world.polls.count != poll.number {
        return Err(TERMINATED);
    }
    if world.webhook.is_some() || world.settings.is_waiting() {
        return Err(REPLACED);
    }
    let now = world.now();
    for seq in world.queue.expired(now) {
        world.settle(seq, State::Dropped);
    }
    let updates: Vec<Value> = (world.queue.hand_out(poll.limit).iter())
        .filter_map(|body| serde_json::from_str(body).ok())
        .collect();
    let is_over = !updates.is_empty() || now >= poll.until;
    Ok(is_over.then(|| json!(updates)))
}

async fn conflict(desk: &Arc<Desk>, words: &'static str) -> Answer {
    let is_repeated = {
        let world = &mut *desk.world();
        let now = world.now();
        world.polls.conflicts += 1;
        let last = world.polls.last_conflict.replace(now);
        last.is_some_and(|last| now.saturating_sub(last) < PAUSE)
    };
    if is_repeated {
        desk.clock.sleep(std::time::Duration::from_millis(PAUSE)).await;
    }
    Err(Refusal::new(409, words))
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::*;

    fn poll(world: &mut World, query: &str) -> Poll {
        let params = Params::read(query, "", &bytes::Bytes::new()).expect("it is small");
        begin(world, &params).unwrap_or_else(|words| panic!("{words}"))
    }

    #[test]
    fn nobody_gets_more_than_a_hundred_or_waits_longer_than_fifty_seconds() {
        let mut world = World { clock: Clock::still(1_000), ..World::default() };
        for (query, limit, until) in [
            ("offset=1", 100, 1_000),
            ("offset=2&limit=7&timeout=20", 7, 21_000),
            ("offset=3&limit=1000&timeout=5000", 100, 51_000),
            ("offset=4&limit=0&timeout=-1", 1, 1_000),
        ] {
            let poll = poll(&mut world, query);
            assert_eq!((poll.limit, poll.until), (limit, until), "{query}");
        }
    }

    #[test]
    fn a_machine_whose_clock_was_set_back_can_be_polled() {
        let mut world = World::default();
        let later = world.now() + 60_000;
        world.polls.last = Some((0, later));
        assert_eq!(poll(&mut world, "").limit, 1, "it is the same question");
        assert!(world.polls.last.is_some_and(|(_, at)| at < later));
    }
}
