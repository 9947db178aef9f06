//! Sizing: so many people lead their dialogues with a deployment, and it is seen how soon they are answered and what that costs.
//!
//! The crowd plays [`script`]s. It posts updates to the webhook as Telegram does, over so many connections and again after
//! a 503, and hears the replies at a Bot API of its own, which takes everything. Not the [`emulator`](crate::emulator): that knows
//! a hundred rules, so it costs more per call than the bot, and would be what is measured.

pub mod crowd;
pub mod process;
pub mod script;
pub mod tally;
pub mod telegram;
mod update;

pub use crowd::{Crowd, Plan};
pub use process::Usage;
pub use script::{Act, SCRIPTS, Script, Step};
pub use tally::Tally;
pub use telegram::Telegram;
