//! How an emulator is set up.

use std::path::PathBuf;
use std::time::Duration;

use super::clock::Clock;

/// How an emulator is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The token of the bot; nothing: the first well-formed one that calls.
    pub token: Option<String>,
    /// What the bot is called; nothing: as it was, or `Bot`.
    pub name: Option<String>,
    /// Its name with an `@`; nothing: as it was, or `emulated_bot`.
    pub username: Option<String>,
    /// The roles that people can play; none: any word.
    pub roles: Vec<String>,
    /// Where chats are kept across restarts; nothing: nowhere.
    pub data: Option<PathBuf>,
    /// The time; by default that of the machine.
    pub clock: Clock,
    /// How long after a press the bot may answer it. Telegram does not say.
    pub answer_within: Duration,
    /// Whether updates are sent to the webhook; otherwise somebody else does.
    pub delivers: bool,
    /// Whether webhooks are refused as in public: only https, on four ports, and at no reserved address. Otherwise every address
    /// is taken, as by a Bot API server of one's own.
    pub public: bool,
    /// Whether chats, topics, files and presses that nobody has seen are taken as known, for tests that make updates themselves.
    pub trusting: bool,
    /// Whether every update, call and message is remembered, for tests that look back at the end; otherwise only the latest are.
    pub remembers_all: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            token: None,
            name: None,
            username: None,
            roles: Vec::new(),
            data: None,
            clock: Clock::running(),
            answer_within: Duration::from_secs(30),
            delivers: true,
            public: false,
            trusting: false,
            remembers_all: false,
        }
    }
}
