//! Too many calls at once: what the server itself refuses, before Telegram would. It does where limits are on.

use std::collections::HashMap;
use std::time::Duration;

use super::api::Refusal;
use super::clock::Millis;
use super::desk::Desk;
use super::params::Params;
use super::world::World;

/// So many calls may be dealt with at once, and one more for each update of the last minute.
const MOST_CALLS: usize = 1000;
/// So many messages to a chat may not have been sent yet.
const MOST_UNSENT: usize = 310;
const MINUTE: Millis = 60_000;
/// Whoever is refused is told so late.
const TOLD_AFTER: Duration = Duration::from_secs(3);
/// After how many seconds to come again.
const RETRY_AFTER: u64 = 60;

/// Calls that are being dealt with.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    calls: usize,
    /// Those that send something, by chat.
    unsent: HashMap<i64, usize>,
}

/// A call, as long as it is dealt with.
#[derive(Debug)]
pub(super) struct Busy<'a> {
    desk: &'a Desk,
    /// Where it sends something to.
    chat: Option<i64>,
}

/// Lets a call in, unless there are too many.
pub(super) async fn enter<'a>(
    desk: &'a Desk,
    method: &str,
    params: &Params,
) -> Result<Busy<'a>, Refusal> {
    let chat = sends(method).then(|| params.chat());
    if is_let_in(&mut desk.world(), chat) {
        return Ok(Busy { desk, chat });
    }
    desk.clock.sleep(TOLD_AFTER).await;
    Err(Refusal::too_many(RETRY_AFTER))
}

fn sends(method: &str) -> bool {
    let method = method.to_ascii_lowercase();
    method.starts_with("send") && method != "sendchataction"
}

/// Counts one more; or does not, where that is too many.
fn is_let_in(world: &mut World, chat: Option<i64>) -> bool {
    if !world.meter.limits.is_empty() && is_full(world, chat) {
        return false;
    }
    world.crowd.calls += 1;
    if let Some(chat) = chat {
        *world.crowd.unsent.entry(chat).or_default() += 1;
    }
    true
}

fn is_full(world: &World, chat: Option<i64>) -> bool {
    let Crowd { calls, unsent } = &world.crowd;
    let unsent = chat.and_then(|chat| unsent.get(&chat)).copied();
    if unsent.unwrap_or_default() >= MOST_UNSENT {
        return true;
    }
    *calls >= MOST_CALLS && *calls >= MOST_CALLS + of_late(world)
}

/// How many updates there were within the last minute.
fn of_late(world: &World) -> usize {
    let now = world.now();
    let latest = world.queue.all().rev();
    latest.take_while(|update| now.saturating_sub(update.at) < MINUTE).count()
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let crowd = &mut self.desk.world().crowd;
        crowd.calls = crowd.calls.saturating_sub(1);
        if let Some(chat) = self.chat {
            let left = crowd.unsent.remove(&chat).unwrap_or_default();
            if left > 1 {
                crowd.unsent.insert(chat, left - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::super::clock::Clock;
    use super::super::limits::{Limit, Meter};
    use super::super::queue::kind;
    use super::*;

    fn desk() -> Arc<Desk> {
        let desk = Desk::new(World::default(), Clock::still(0), 0, false);
        desk.world().meter = Meter::new(Limit::usual());
        desk
    }

    fn to(chat: i64) -> Params {
        let query = format!("chat_id={chat}");
        Params::read(&query, "", &Bytes::new()).expect("it is small")
    }

    /// Lets in so many.
    async fn fill<'a>(desk: &'a Desk, method: &str, chat: i64, count: usize) -> Vec<Busy<'a>> {
        let (params, mut all) = (to(chat), Vec::new());
        for _ in 0..count {
            tokio::select! {
                biased;
                busy = enter(desk, method, &params) => all.push(busy.expect("it is let in")),
                () = std::future::ready(()) => panic!("it is not let in"),
            }
        }
        all
    }

    /// One more is refused, and told so three seconds later.
    async fn is_refused(desk: &Desk, method: &str, chat: i64) {
        let params = to(chat);
        let refused = enter(desk, method, &params);
        tokio::pin!(refused);
        for seconds in [2, 1] {
            tokio::select! {
                biased;
                told = &mut refused => panic!("it was told at once: {told:?}"),
                () = std::future::ready(()) => {}
            }
            desk.clock.advance(Duration::from_secs(seconds));
        }
        assert_eq!(refused.await.err(), Some(Refusal::too_many(60)));
    }

    #[tokio::test]
    async fn a_thousand_calls_and_one_for_each_update_of_the_last_minute_are_dealt_with_at_once() {
        let desk = desk();
        let mut all = fill(&desk, "getChat", 7, 1000).await;
        is_refused(&desk, "getChat", 7).await;
        desk.world().enqueue(kind::MESSAGE.of(7), 7, &"hello");
        all.extend(fill(&desk, "getChat", 7, 1).await);
        is_refused(&desk, "getChat", 7).await;
        all.truncate(1000);
        desk.clock.advance(Duration::from_secs(60));
        is_refused(&desk, "getChat", 7).await;
        all.pop();
        fill(&desk, "getChat", 7, 1).await;
    }

    #[tokio::test]
    async fn a_chat_has_no_more_than_310_messages_that_are_not_sent_yet() {
        let desk = desk();
        let mut all = fill(&desk, "sendMessage", 7, 310).await;
        is_refused(&desk, "SENDPHOTO", 7).await;
        fill(&desk, "sendChatAction", 7, 1).await;
        fill(&desk, "sendMessage", 8, 1).await;
        all.pop();
        fill(&desk, "sendMessage", 7, 1).await;
    }

    #[tokio::test]
    async fn without_limits_everybody_is_let_in() {
        let desk = desk();
        desk.world().meter = Meter::default();
        fill(&desk, "sendMessage", 7, 2000).await;
    }
}
