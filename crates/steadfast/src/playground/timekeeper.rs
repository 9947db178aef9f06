//! Keeps the bot's clock with the emulator's, whoever moved that.
//!
//! How far it is to be ahead is noted before the bot is told: one who was told and then died must never be started earlier than
//! it was.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::http::{Method, StatusCode};

use super::Playground;
use crate::emulator::Millis;
use crate::ops::client;
use crate::ops::timepiece::Ahead;

/// How often to look.
const INTERVAL: Duration = Duration::from_millis(100);
/// The longest that the bot may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps them together for ever.
pub(super) async fn keep(playground: Playground) {
    let inner = &*playground.0;
    loop {
        let timing = inner.timing.lock().await;
        let ahead = inner.clock.offset();
        let bot = inner.status.borrow().clone();
        if let Some(ops) = bot.ops.filter(|_| bot.ready && bot.ahead < ahead)
            && note(&playground)
        {
            inner.status.send_modify(|now| now.tell(ahead));
            let told = tell(ops, ahead).await;
            inner.status.send_modify(|now| match told {
                Told::Yes => now.follow(bot.starts, ahead),
                Told::Nobody => now.miss(bot.starts),
                Told::Perhaps => {}
            });
        }
        drop(timing);
        tokio::time::sleep(INTERVAL).await;
    }
}

fn note(playground: &Playground) -> bool {
    let noted = playground.0.emulator.save();
    noted.inspect_err(|error| tracing::warn!(%error, "the time cannot be written down")).is_ok()
}

/// Whether the bot was told.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Yes,
    /// It may have been, and has not said so.
    Perhaps,
    /// Nobody was there.
    Nobody,
}

async fn tell(ops: SocketAddr, ahead: Millis) -> Told {
    let body = serde_json::to_vec(&Ahead { ahead }).unwrap_or_default();
    let told = client::ask(ops, Method::POST, "/clock", None, body.into());
    match tokio::time::timeout(PATIENCE, told).await {
        Ok(Ok((StatusCode::OK, _))) => Told::Yes,
        // There was no connection.
        Ok(Err(error)) if error.is::<io::Error>() => Told::Nobody,
        other => {
            tracing::debug!(?other, "the bot has not said that it was told the time");
            Told::Perhaps
        }
    }
}
