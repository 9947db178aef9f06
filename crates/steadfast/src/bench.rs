//! Sizing: so many people lead their dialogues with a deployment, and it is seen how soon they are answered and what that costs.
//!
//! The people live in the [`emulator`](crate::emulator), so that updates come as they do from Telegram: one at a time per chat, over
//! so many connections, again after a 503. They play the scripts of the [bot](crate::bot::Playground).

pub mod crowd;
pub mod doors;
pub mod process;
pub mod tally;
pub mod telegram;

pub use crowd::{Plan, talk};
pub use doors::Doors;
pub use process::Usage;
pub use tally::Tally;
pub use telegram::Telegram;
