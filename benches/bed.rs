//! What the benches share: the bots they measure, the crowd that talks to them, and the Bot API that hears the replies.
//!
//! Everything is on the loopback. The crowd and the Bot API live in the bench's own process, each bot in one of its own, so
//! what [`process`] reads of a bot is the bot's alone.

pub mod bot_api;
pub mod contender;
pub mod crowd;
pub mod limit;
pub mod process;
pub mod round;
pub mod table;
pub mod update;
pub mod wire;

#[path = "../tests/it/support/port.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
pub mod port;
#[path = "../tests/it/support/redis_server.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
pub mod redis_server;

/// A setting from the environment, such as `BENCH_SECONDS=20`.
pub fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(value) => value.parse().unwrap_or_else(|_| panic!("{name}={value} cannot be read")),
        Err(_) => default,
    }
}

/// The arguments after `cargo bench -- …`, or none when this is not `cargo bench` (`cargo test --benches` only builds).
pub fn arguments() -> Option<Vec<String>> {
    let (flags, words): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    flags.contains(&"--bench".to_owned()).then_some(words)
}
