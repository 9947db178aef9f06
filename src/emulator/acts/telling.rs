//! An update of any kind, as somebody wrote it: for what nobody here can do, such as paying or asking inline.

use serde_json::Value;

use super::{Cannot, wrong};
use crate::emulator::queue::Kind;
use crate::emulator::world::World;

/// Puts an update into the queue under the next number, whatever its own is; answers that, if the bot wants to hear of it.
pub(in crate::emulator) fn tell(world: &mut World, update: &Value) -> Result<Option<i64>, Cannot> {
    let Some(kind) = Kind::read(update) else {
        return Err(wrong(
            "an update has a field of a known kind, such as `inline_query`, which says whose it is",
        ));
    };
    let payload = &update[kind.name()];
    Ok(world.enqueue(kind, Kind::chat(payload), payload))
}
