//! `broadcast`: one message to many people, page by page, with a progress bar.
//!
//! The server takes each message once, so this may be stopped anywhere and run again with the same id.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::Failure;
use super::client::Client;
use super::say::say;
use crate::config::Source;
use crate::ops::check_broadcast;
use crate::store::Token;

mod progress;

use progress::Progress;

/// What the shell knows a command by that was ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

#[derive(Debug, Args)]
pub(super) struct Broadcast {
    #[command(flatten)]
    to: To,
    /// Only to those in this flow and state, such as `order/phone`.
    #[arg(long, conflicts_with_all = ["role", "all"])]
    label: Option<String>,
    /// Go on with the broadcast of this name, or give it one.
    #[arg(long)]
    id: Option<String>,
    /// What to say, just as it stands: nothing in it is markup.
    text: String,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct To {
    /// To the people in an unfinished dialogue, as before maintenance: in private where they are in one there, else in their group,
    /// which hears it once whoever of it is.
    #[arg(long)]
    active: bool,
    /// To the people who have this role.
    #[arg(long)]
    role: Option<String>,
    /// To everyone who has written to the bot in private.
    #[arg(long)]
    all: bool,
}

impl To {
    /// As the server reads it.
    fn written(&self) -> Value {
        match (&self.role, self.all) {
            (Some(role), _) => json!({ "role": role }),
            (None, true) => json!("all"),
            (None, false) => json!("active"),
        }
    }
}

pub(super) async fn run(broadcast: Broadcast, source: Source<'_>) -> Result<ExitCode, Failure> {
    let server = Client::new(source)?;
    let id = broadcast.id.clone().unwrap_or_else(fresh_id);
    check_broadcast(&id, &broadcast.text).map_err(Failure::plain)?;
    say!("broadcast {id}: if it is stopped, go on with --id {id} and the same text")?;
    let mut progress = Progress::new();
    let driven = tokio::select! {
        driven = drive(&server, &broadcast, &id, &mut progress) => driven.map(|()| ExitCode::SUCCESS),
        _ = tokio::signal::ctrl_c() => Ok(ExitCode::from(INTERRUPTED)),
    };
    progress.end();
    match driven {
        Err(error) => Err(Failure::plain(format!("{error}\ngo on with --id {id}"))),
        done => done,
    }
}

/// Asks for page after page, at the pace that the server sets.
async fn drive(
    server: &Client,
    broadcast: &Broadcast,
    id: &str,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut cursor = Value::Null;
    loop {
        let notice = json!({
            "id": id, "text": broadcast.text, "to": broadcast.to.written(), "label": broadcast.label,
            "cursor": cursor,
        });
        let mut page = server.post("/broadcast", &notice).await?;
        progress.note(&page);
        cursor = page["next"].take();
        if cursor.is_null() {
            return Ok(());
        }
        let wait = page["wait_ms"].as_u64().unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

fn fresh_id() -> String {
    let mut id = Token::fresh().to_string();
    id.truncate(8);
    id
}
