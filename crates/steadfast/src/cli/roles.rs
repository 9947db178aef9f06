//! `roles`: who may do what.

use std::process::ExitCode;

use axum::http::Method;
use clap::Subcommand;
use serde_json::Value;

use super::Failure;
use super::client::Client;
use super::dialogues::query_value;
use super::say::{self, say};
use super::table::table;
use crate::config::Source;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List those who have a role, by the configuration or because it was given to them.
    List {
        /// Only this person, by their Telegram number.
        #[arg(long, value_name = "USER")]
        user: Option<i64>,
    },
    /// Give somebody a role; it counts from their next message on.
    Give {
        /// Their Telegram number.
        user: i64,
        /// One of the roles of this bot.
        role: String,
    },
    /// Take a role away that was given.
    Take {
        /// Their Telegram number.
        user: i64,
        /// One of the roles of this bot.
        role: String,
    },
}

pub(super) async fn run(command: Command, source: Source<'_>) -> Result<ExitCode, Failure> {
    let server = Client::new(source)?;
    match command {
        Command::List { user } => list(&server, user).await?,
        Command::Give { user, role } => change(&server, Method::PUT, user, &role).await?,
        Command::Take { user, role } => change(&server, Method::DELETE, user, &role).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(server: &Client, user: Option<i64>) -> Result<(), Failure> {
    let query = user.map(|user| format!("?user={user}")).unwrap_or_default();
    let answer = server.get(&format!("/roles{query}")).await?;
    let mut rows = vec![["USER", "ROLES", "GIVEN"].map(str::to_owned)];
    let people = answer["people"].as_array().into_iter().flatten();
    rows.extend(people.map(row));
    say::text(table(&rows))?;
    Ok(())
}

async fn change(server: &Client, method: Method, user: i64, role: &str) -> Result<(), Failure> {
    let path = format!("/roles?user={user}&role={}", query_value(role));
    let now = server.json(method, &path).await?;
    let was = if now["changed"] == true { "" } else { " already" };
    say!("{user}{was}: {}", words(&now["roles"]))?;
    Ok(())
}

fn row(person: &Value) -> [String; 3] {
    let user = person["user"].to_string();
    [user, words(&person["roles"]), words(&person["given"])]
}

fn words(list: &Value) -> String {
    let list = list.as_array().into_iter().flatten();
    let words: Vec<&str> = list.filter_map(Value::as_str).collect();
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(", "),
    }
}
