//! `dialogues`: who is where, and a way to free someone.

use std::process::ExitCode;

use axum::http::Method;
use clap::Subcommand;
use serde_json::Value;

use super::Failure;
use super::client::Client;
use super::say::{self, say};
use super::table::{span, table};
use crate::config::Source;
use crate::store::DialogueKey;

mod stats;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the people in a dialogue.
    List {
        /// Only those in this flow and state, such as `order/phone`.
        #[arg(long)]
        label: Option<String>,
    },
    /// Show one dialogue with all it holds, as JSON.
    Show {
        /// CHAT:USER or CHAT:USER:TOPIC, as listed.
        #[arg(allow_hyphen_values = true)]
        dialogue: DialogueKey,
    },
    /// Show how people come through each flow, and how long they stand in each state.
    Stats,
    /// End a dialogue, so that the person can start anew.
    Reset {
        /// CHAT:USER or CHAT:USER:TOPIC, as listed.
        #[arg(allow_hyphen_values = true)]
        dialogue: DialogueKey,
    },
}

pub(super) async fn run(command: Command, source: Source<'_>) -> Result<ExitCode, Failure> {
    let server = Client::new(source)?;
    match command {
        Command::List { label } => list(&server, label.as_deref()).await?,
        Command::Show { dialogue } => {
            let found = server.get(&format!("/dialogues/{dialogue}")).await?;
            say!("{found:#}")?;
        }
        Command::Stats => stats::show(&server).await?,
        Command::Reset { dialogue } => {
            let path = format!("/dialogues/{dialogue}/reset");
            let done = server.json(Method::POST, &path).await?;
            say!("{dialogue}: {}", done["outcome"].as_str().unwrap_or("?"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(server: &Client, label: Option<&str>) -> Result<(), Failure> {
    let mut rows = vec![["DIALOGUE", "FLOW/STATE", "SINCE", "DUE"].map(str::to_owned)];
    let mut cursor = String::new();
    loop {
        let label = label.map(query_value).unwrap_or_default();
        let page = server.get(&format!("/dialogues?label={label}{cursor}")).await?;
        let now = page["now"].as_u64().unwrap_or(0);
        let dialogues = page["dialogues"].as_array();
        rows.extend(dialogues.into_iter().flatten().map(|one| row(one, now)));
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    say::text(table(&rows))?;
    Ok(())
}

fn row(one: &Value, now: u64) -> [String; 4] {
    let labels = one["labels"].as_array().into_iter().flatten();
    let labels: Vec<&str> = labels.filter_map(Value::as_str).collect();
    let state = match one["unreadable"].as_bool() {
        Some(true) => "cannot be read".to_owned(),
        _ => labels.join(", "),
    };
    [
        one["dialogue"].as_str().unwrap_or("?").to_owned(),
        state,
        one["since"].as_u64().map_or("-".into(), |at| span(now, at)),
        one["due"].as_u64().map_or("-".into(), |at| span(now, at)),
    ]
}

/// Percent-encoded for a query.
pub(super) fn query_value(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    text.bytes()
        .map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_safe_in_a_query() {
        assert_eq!(query_value("order/phone"), "order/phone");
        assert_eq!(query_value("a&b=c"), "a%26b%3Dc");
    }
}
