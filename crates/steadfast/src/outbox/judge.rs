//! What becomes of an effect that was not carried out.

use std::time::{Duration, Instant};

use super::line;
use super::retry::Failure;
use super::work::Done;
use super::{Inner, Outbox};
use crate::letter::Why;
use crate::store::{Item, Lane, Refused};
use crate::turn::migration;

/// Why a message is put aside that nobody tried to send.
pub(super) const UNWANTED: &str = "the person has blocked the bot";
/// How long to wait before a message is tried again that was refused when its person came back. Whoever is back is so in the next
/// second.
const COME_BACK: Duration = Duration::from_secs(1);

impl Outbox {
    /// What a failure comes to: the effect is put aside, or handed on, or waits.
    pub(super) async fn judge(
        &self,
        lane: Lane,
        item: &Item,
        failure: Failure,
        began: Instant,
    ) -> Result<Done, Duration> {
        let Inner { failures, meters, .. } = &*self.inner;
        if failure.is_answer() {
            failures.answered();
        }
        match failure {
            Failure::Wait(delay) => Err(delay),
            Failure::Later => {
                line::failed(lane, item);
                Err(failures.failed(lane))
            }
            Failure::Unknown => {
                line::unknown(lane, item);
                meters.ambiguous.increment(1);
                Err(failures.failed(lane))
            }
            Failure::Flooded(delay) => {
                line::told_to_wait(lane, item, delay);
                self.flooded(lane, delay, began).await.and(Err(delay))
            }
            Failure::Blocked(reason) => self.blocked(lane, item, &reason, began).await,
            Failure::Outcome(chat) => self.moved(lane, item, chat).await,
            Failure::Never(why, reason) => Ok(Done::Buried(self.letter(lane, item, why, &reason))),
            Failure::Senseless(reason) => {
                let letter = self.letter(lane, item, Why::Unreadable, reason);
                Ok(Done::Buried(letter))
            }
        }
    }

    /// The chat was told to wait, or perhaps the bot: all replicas are to know.
    async fn flooded(&self, lane: Lane, delay: Duration, began: Instant) -> Result<(), Duration> {
        let Inner { store, failures, meters, purse, .. } = &*self.inner;
        let pause = failures.flooded(lane, delay, began);
        meters.told_to_wait(delay, pause.is_some());
        if let Some(pause) = pause {
            tracing::warn!(?pause, "Telegram tells several chats to wait: nothing is sent");
            purse.freeze(pause).await.map_err(|_| delay)?;
        }
        // The chat has two lanes, and the other one may be worked elsewhere.
        store.hold(lane.chat, delay).await.map_err(|_| delay)
    }

    /// The person does not want it, unless they came back meanwhile.
    async fn blocked(
        &self,
        lane: Lane,
        item: &Item,
        reason: &str,
        began: Instant,
    ) -> Result<Done, Duration> {
        let Inner { store, meters, .. } = &*self.inner;
        let refused = Refused { ago: began.elapsed(), update: answered(item) };
        let blocked = store.block(lane.chat, Some(refused)).await;
        if !blocked.map_err(|_| COME_BACK)? {
            return Err(COME_BACK);
        }
        meters.blocked.increment(1);
        let letter = self.letter(lane, item, Why::Blocked, reason);
        Ok(Done::Unwanted(letter))
    }

    /// The group has become another chat, as is noted for its dialogues.
    async fn moved(&self, lane: Lane, item: &Item, chat: i64) -> Result<Done, Duration> {
        let Inner { store, failures, .. } = &*self.inner;
        failures.settled(lane);
        let noted = migration::note(&**store, lane.chat, chat).await;
        noted.map_err(|_| Duration::from_secs(1))?;
        self.move_to(lane, item, chat).await
    }

    /// Whether messages still do not reach the chat: the person may have come back meanwhile.
    pub(super) async fn is_blocked(&self, chat: i64) -> bool {
        self.inner.store.blocked(chat).await.unwrap_or(false)
    }
}

/// The update that an effect answers; its id begins with it.
fn answered(item: &Item) -> Option<u32> {
    let (cause, _) = item.id.split_once('.')?;
    cause.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_tells_which_update_it_answers() {
        let of = |id: &str| answered(&Item { id: id.to_owned(), body: bytes::Bytes::new() });
        assert_eq!(of("700000001.1800000000.0"), Some(700_000_001));
        assert_eq!(of("1800000000123.5:5.0"), None, "a timer");
        assert_eq!(of("b:may-1.2:5"), None, "a broadcast");
    }
}
