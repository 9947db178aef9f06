//! `setWebhook` while it looks for the host: another one ends it, and nobody polls meanwhile.

use super::api::{Refusal, is_set};
use super::desk::Desk;
use super::lookup;
use super::params::Params;
use super::world::World;

/// What is known of calls that are setting a webhook.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// How many there were: one that waits ends when there is another.
    count: u64,
    /// The one that waits.
    waiting: Option<u64>,
}

impl Settings {
    /// Another call begins, and ends the one before.
    fn begin(&mut self) -> u64 {
        self.count += 1;
        self.waiting = Some(self.count);
        self.count
    }

    /// Whether this one was not ended by another; then nothing waits any more.
    fn finish(&mut self, number: u64) -> bool {
        let is_last = self.count == number;
        if is_last {
            self.waiting = None;
        }
        is_last
    }

    /// Whether a webhook is being set.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }
}

/// Finds what is needed to set a webhook; or says that another call came meanwhile.
pub(super) async fn prepare(desk: &Desk, params: &Params) -> Result<(), Refusal> {
    if params.word("url").is_none() || desk.world().is_pinned {
        return Ok(());
    }
    pace(&mut desk.world())?;
    if is_set(&desk.world(), params) {
        return Ok(());
    }
    let waiting = Waiting::new(desk);
    lookup::look_up(desk, params).await;
    match desk.world().settings.finish(waiting.number) {
        true => Ok(()),
        false => Err(Refusal::new(409, "Conflict: terminated by other setWebhook")),
    }
}

/// One a second is heard at all; whoever is not ends nobody else's.
fn pace(world: &mut World) -> Result<(), Refusal> {
    let now = world.now();
    if now < world.webhook_from {
        return Err(Refusal::too_many(1));
    }
    world.webhook_from = now + 1_000;
    Ok(())
}

/// A call that waits; also one whose caller goes away ends.
struct Waiting<'a> {
    desk: &'a Desk,
    number: u64,
}

impl<'a> Waiting<'a> {
    fn new(desk: &'a Desk) -> Self {
        let number = desk.world().settings.begin();
        desk.stir();
        Self { desk, number }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.desk.world().settings.finish(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;

    use super::super::clock::Clock;
    use super::super::polls;
    use super::*;

    fn desk() -> Arc<Desk> {
        Desk::new(World::default(), Clock::still(0), 0, true)
    }

    #[tokio::test]
    async fn a_set_webhook_that_waits_is_ended_by_another() {
        let desk = desk();
        let body = Bytes::from(r#"{"url":"https://localhost/hook"}"#);
        let params = Params::read("", "application/json", &body).expect("it is small");
        let first = prepare(&desk, &params);
        tokio::pin!(first);
        tokio::select! {
            biased;
            // It is polled once, and waits for the resolver.
            done = &mut first => panic!("nothing was looked up: {done:?}"),
            () = std::future::ready(()) => {}
        }
        let early = prepare(&desk, &params).await.expect_err("it is too early");
        assert_eq!(early.status, 429);
        assert!(desk.world().settings.is_waiting(), "the first goes on");
        desk.clock.advance(Duration::from_secs(1));
        assert_eq!(prepare(&desk, &params).await, Ok(()));
        let refused = first.await.expect_err("there was another");
        assert_eq!(
            (refused.status, refused.words.as_str()),
            (409, "Conflict: terminated by other setWebhook")
        );
        assert!(!desk.world().settings.is_waiting());
    }

    #[tokio::test]
    async fn nobody_polls_while_a_webhook_is_being_set() {
        let desk = desk();
        let waiting = Waiting::new(&desk);
        let refused = polls::poll(&desk, &Params::default()).await;
        let refused = refused.expect_err("a webhook is being set");
        assert_eq!(refused.status, 409);
        assert!(
            refused
                .words
                .starts_with("Conflict: can't use getUpdates method while webhook is active")
        );
        drop(waiting);
        desk.clock.advance(Duration::from_secs(4));
        let polled = polls::poll(&desk, &Params::default()).await;
        assert_eq!(polled, Ok(serde_json::json!([])));
    }
}
