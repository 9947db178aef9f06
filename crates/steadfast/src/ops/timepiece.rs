//! `/clock`, for a bot that is tried out: lets time pass. It is there only when the bot was started for that.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use crate::replica::Peers;
use crate::store::{Embedded, Millis, Result, Shift};

/// Moves the clock of a store.
#[derive(Debug, Clone)]
pub struct Timepiece {
    /// Whose clock it is.
    pub store: Arc<Embedded>,
    /// How far it is ahead of the machine's.
    pub shift: Shift,
}

/// What is asked for. Not by how much, so that asking twice does no harm.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Ahead {
    /// How far ahead of the machine's clock, in milliseconds.
    pub ahead: Millis,
}

impl Timepiece {
    /// `POST /clock`.
    pub fn router(self, peers: Peers) -> Router {
        Router::new().route("/clock", post(leap)).with_state((self, peers))
    }

    async fn leap(&self, peers: &Peers, ahead: Millis) -> Result<Millis> {
        let before = self.shift.get();
        let now = self.store.leap(&self.shift, ahead).await?;
        // Otherwise the sweeper would wait for the next sign of life, lest there was an outage.
        peers.leap(ahead.saturating_sub(before));
        tracing::info!(ahead, "the clock was moved");
        Ok(now)
    }
}

async fn leap(
    State((timepiece, peers)): State<(Timepiece, Peers)>,
    Json(Ahead { ahead }): Json<Ahead>,
) -> std::result::Result<String, (StatusCode, String)> {
    match timepiece.leap(&peers, ahead).await {
        Ok(now) => Ok(format!("{now}\n")),
        Err(error) => Err((StatusCode::SERVICE_UNAVAILABLE, error.to_string())),
    }
}
