//! Effects of a group that has become another chat.

use std::time::Duration;

use super::Outbox;
use super::work::Done;
use crate::dialogue::{Effect, Message};
use crate::letter::Why;
use crate::store::{Item, Lane, LaneKind};

impl Outbox {
    /// The group has become another chat: the effect goes there.
    pub(super) async fn move_to(
        &self,
        lane: Lane,
        item: &Item,
        chat: i64,
    ) -> Result<Done, Duration> {
        let moved = match serde_json::from_slice(&item.body) {
            Ok(Effect::Send(message)) => Effect::Send(Box::new(Message { chat, ..*message })),
            Ok(Effect::Delete { name, .. }) => Effect::Delete { chat, name },
            Ok(Effect::Typing { topic, .. }) => Effect::Typing { chat, topic },
            _ => {
                return Ok(Done::Buried(self.letter(
                    lane,
                    item,
                    Why::Unreadable,
                    "the group is another chat now",
                )));
            }
        };
        let body = serde_json::to_vec(&moved).expect("an effect is plain data");
        let item = Item { id: moved_id(lane, &item.id, chat), body: body.into() };
        let pushed = self.push(Lane { chat, ..lane }, &item).await;
        if pushed.map_err(|_| Duration::from_secs(1))? {
            return Ok(Done::Carried(None));
        }
        Ok(Done::Buried(self.letter(lane, &item, Why::Blocked, "the new chat does not want it")))
    }
}

/// The id of an effect in the chat that its own became. That of a broadcast ends with the chat, as if it had been for the new one all
/// along: there it is told from the same broadcast to the new chat by nothing else.
fn moved_id(lane: Lane, id: &str, chat: i64) -> String {
    let broadcast = id.strip_suffix(&format!(":{}", lane.chat));
    match broadcast.filter(|_| lane.kind == LaneKind::Bulk) {
        Some(broadcast) => format!("{broadcast}:{chat}"),
        None => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_that_moves_is_the_one_to_the_new_chat() {
        let lane = |kind| Lane { kind, chat: -5 };
        assert_eq!(moved_id(lane(LaneKind::Bulk), "b:may:-5", -100), "b:may:-100");
        assert_eq!(moved_id(lane(LaneKind::Messages), "7.1.0:-5", -100), "7.1.0:-5");
    }
}
