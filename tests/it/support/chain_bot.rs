//! The bot as it is, and with it a dialogue that can prove its own history: every answer becomes a link of a chain of hashes, and
//! every reply shows the chain. One answer too few, too many, or in another order, and it is another chain.
//!
//! The process is this program once more, told to run the one test that serves.

use field_service::flows;
use field_service::records::schema;
use sha2::{Digest, Sha256};
use steadfast::dialogue::Command;
use steadfast::dialogue::prelude::*;

use super::coupon::with_coupons;
use super::coupon_bot::{Taking, serve_bot};
use super::server::Setup;

/// The test that serves.
const SERVES: &str = "support::chain_bot::serves";

/// The button under every reply.
pub(crate) const ADD: &str = "Add a link";

/// What the chain walks, besides what the bot's own flows do.
const EDGES: &str = "chain: start -> next\nchain: next -> next\ncoupon: start -> done\n";

/// A chain: `/chain` begins it, every text and every press adds a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Chain {
    /// The next link.
    Next {
        /// How many there are.
        count: u64,
        /// Of all of them.
        hash: String,
        /// The last one.
        item: String,
    },
}

impl Chain {
    fn and(self, item: String) -> Self {
        let Self::Next { count, hash, .. } = self;
        Self::Next { count: count + 1, hash: link(&hash, &item), item }
    }
}

impl Flow for Chain {
    const NAME: &'static str = "chain";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Command(Command { name, .. }) if name == "chain" => {
                Some(goto(Self::Next { count: 0, hash: String::new(), item: String::new() }))
            }
            _ => None,
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        let Self::Next { count, hash, item } = self;
        say(shown(*count, hash, item)).choice(ADD, format!("press-{count}"))
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match &turn.input {
            Input::Choice(value) => goto(self.and(value.clone())),
            _ => {
                let item = turn.text("A text, please.")?;
                goto(self.and(item))
            }
        })
    }

    fn ttl(&self) -> Duration {
        Duration::from_secs(6 * 3600)
    }
}

/// The hash of a chain with one link more.
pub(crate) fn link(hash: &str, item: &str) -> String {
    let digest = Sha256::digest(format!("{hash}\n{item}"));
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A chain as the bot shows it.
pub(crate) fn shown(count: u64, hash: &str, item: &str) -> String {
    format!("#{count} {hash} {item}").trim_end().to_owned()
}

/// Not a test: a server of the cluster.
#[test]
#[ignore = "the server that other tests start"]
fn serves() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(serve());
}

/// Serves until it is told to stop, as `serve` does.
async fn serve() {
    let walked = flows::edges().iter().map(|edge| format!("{edge}\n"));
    let transitions = EDGES.to_owned() + &walked.collect::<String>();
    let bot = field_service::bot().flow::<Chain>().flow::<Taking>().transitions(transitions.leak());
    serve_bot(bot.records(|company| with_coupons(schema(company)))).await;
}

/// The set-up of its servers, where that of the bot is this.
pub(crate) fn set_up(setup: Setup) -> Setup {
    let program = std::env::current_exe().expect("this program");
    setup.of_program(&program, &[SERVES, "--exact", "--ignored", "--nocapture"])
}
