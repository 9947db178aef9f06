//! Hands an effect over to a lane.

use std::time::Instant;

use super::Outbox;
use super::lease::Held;
use super::meters::Source;
use crate::store::{self, Head, Item, Lane, Pushed, Token};

impl Outbox {
    /// Puts an effect into a lane, once however often it is called, and works that lane if nobody does. `false`: the chat does
    /// not want it.
    pub async fn push(&self, lane: Lane, item: &Item) -> store::Result<bool> {
        let (token, since) = (Token::fresh(), Instant::now());
        match self.inner.store.push(lane, token, item).await? {
            Pushed::Leased { wait } => {
                let head = Head { item: item.clone(), wait };
                self.start(lane, Held { token, since }, head, Source::Push);
            }
            Pushed::Queued => {}
            Pushed::Blocked => return Ok(false),
        }
        Ok(true)
    }
}
