//! `dead-letters`: what could not be done, and what to do about it.

use std::process::ExitCode;

use axum::http::Method;
use clap::Subcommand;
use serde_json::Value;

use super::Failure;
use super::client::Client;
use super::say::{self, say};
use super::table::{span, table};
use crate::config::Source;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List what could not be done, newest first.
    ///
    /// Of a message or a record, the tries are those of the replica that gave it up: others may have tried before.
    List,
    /// Show one dead letter with all it holds, as JSON.
    ///
    /// Of a message or a record, `tries` are those of the replica that gave it up: others may have tried before.
    Show {
        /// As listed.
        #[arg(value_parser = name)]
        id: String,
    },
    /// Try it again: play the update, or send the message. The letter goes if that works.
    Retry {
        /// As listed.
        #[arg(value_parser = name)]
        id: String,
    },
    /// Remove it.
    Drop {
        /// As listed.
        #[arg(value_parser = name)]
        id: String,
    },
}

/// The name of a letter, which is part of a path.
fn name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let wrong = || "a dead letter is named by letters and digits, as listed".to_owned();
    is_name.then(|| text.to_owned()).ok_or_else(wrong)
}

pub(super) async fn run(command: Command, source: Source<'_>) -> Result<ExitCode, Failure> {
    let server = Client::new(source)?;
    match command {
        Command::List => list(&server).await?,
        Command::Show { id } => {
            let path = format!("/dead-letters/{id}");
            say!("{:#}", server.get(&path).await?)?;
        }
        Command::Retry { id } => act(&server, &id, "retry").await?,
        Command::Drop { id } => act(&server, &id, "drop").await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(server: &Client) -> Result<(), Failure> {
    let answer = server.get("/dead-letters").await?;
    let now = answer["now"].as_u64().unwrap_or(0);
    let letters = answer["letters"].as_array().map_or(&[][..], Vec::as_slice);
    let mut rows = vec![["ID", "WHEN", "KIND", "WHO", "TRIES", "REASON"].map(str::to_owned)];
    rows.extend(letters.iter().map(|letter| row(letter, now)));
    say::text(table(&rows))?;
    let total = answer["total"].as_u64().unwrap_or(0);
    match total.saturating_sub(letters.len() as u64) {
        0 => {}
        more => say!("… and {more} older ones")?,
    }
    Ok(())
}

fn row(letter: &Value, now: u64) -> [String; 6] {
    let text = |name: &str| letter[name].as_str().map(str::to_owned);
    let shown = |name: &str| text(name).unwrap_or_else(|| "-".to_owned());
    [
        shown("id"),
        letter["at"].as_u64().map_or("-".into(), |at| span(now, at)),
        shown("kind"),
        text("dialogue").unwrap_or_else(|| shown("lane")),
        letter["tries"].as_u64().map_or("-".into(), |tries| tries.to_string()),
        // What another program said may hold anything.
        shown("reason").replace(char::is_control, " "),
    ]
}

async fn act(server: &Client, id: &str, what: &str) -> Result<(), Failure> {
    let path = format!("/dead-letters/{id}/{what}");
    let done = server.json(Method::POST, &path).await?;
    say!("{}", told(id, &done))?;
    Ok(())
}

/// What became of a letter, and what is to be known about that.
fn told(id: &str, done: &Value) -> String {
    let outcome = done["outcome"].as_str().unwrap_or("?");
    let warning = done["warning"].as_str();
    let warning = warning.map(|words| format!("\nwarning: {words}"));
    format!("{id}: {outcome}{}", warning.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_letter_is_one_line_whatever_its_reason() {
        let letter = json!({ "id": "a1", "at": 5000, "kind": "effect", "lane": "bulk:7", "tries": 3, "reason": "two\nlines" });
        assert_eq!(row(&letter, 10_000), ["a1", "5s ago", "effect", "bulk:7", "3", "two lines"]);
    }

    #[test]
    fn whoever_retries_is_warned_on_a_line_of_its_own() {
        let mut done = json!({ "outcome": "applied" });
        assert_eq!(told("a1", &done), "a1: applied");
        done["warning"] = "the dialogue had moved on".into();
        let expected = "a1: applied\nwarning: the dialogue had moved on";
        assert_eq!(told("a1", &done), expected);
    }

    #[test]
    fn a_name_cannot_leave_its_place_in_the_path() {
        assert!(name("0123456789ab").is_ok());
        assert!(name("../dialogues").is_err() && name("").is_err());
    }
}
