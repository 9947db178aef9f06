//! An update of any kind, as somebody wrote it: for what nobody here can do, such as paying or asking inline.

use serde_json::Value;

use super::{Cannot, wrong};
use crate::queue::Kind;
use crate::queue::kind::DAY;
use crate::world::World;

/// Puts an update into the queue under the next number, whatever its own is; answers that, if the bot wants to hear of it.
pub(crate) fn tell(world: &mut World, update: &Value) -> Result<Option<i64>, Cannot> {
    let Some(kind) = Kind::read(update) else {
        return Err(wrong(
            "an update has a field of a known kind, such as `inline_query`, which says whose it is",
        ));
    };
    let payload = &update[kind.name()];
    let now = world.now();
    let since = kind.since(payload).unwrap_or(now).min(now);
    if kind.is_message() && since + DAY < now {
        return Err(wrong("nobody is told of a message that is older than a day"));
    }
    Ok(world.enqueue_since(since, kind, Kind::chat(payload), payload))
}
