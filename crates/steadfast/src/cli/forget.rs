//! `forget`: leaves nothing of a person but what the books need.

use std::process::ExitCode;

use axum::http::Method;
use clap::Args;
use serde_json::Value;

use super::Failure;
use super::client::Client;
use super::say::say;
use crate::config::Source;

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Forget {
    /// Their Telegram number.
    user: i64,
}

pub(super) async fn run(asked: Forget, source: Source<'_>) -> Result<ExitCode, Failure> {
    let path = format!("/forget?user={}", asked.user);
    let gone = Client::new(source)?.json(Method::POST, &path).await?;
    say!("{}: {}", asked.user, summary(&gone))?;
    Ok(ExitCode::SUCCESS)
}

/// What went, as `forgotten: dialogues 2, users 1`.
fn summary(gone: &Value) -> String {
    let counts = ["dialogues", "messages", "letters"].map(|what| (what, &gone[what]));
    let records = gone["records"].as_object().into_iter().flatten();
    let records = records.map(|(table, rows)| (table.as_str(), rows));
    let all = counts.into_iter().chain(records);
    let some = all.filter(|(_, count)| count.as_u64().is_some_and(|count| count > 0));
    let words: Vec<String> = some.map(|(what, count)| format!("{what} {count}")).collect();
    match words.is_empty() {
        true => "nothing was kept".to_owned(),
        false => format!("forgotten: {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_went_is_said() {
        let gone = json!({ "dialogues": 2, "messages": 0, "letters": 1, "records": { "users": 1, "roles": 0 } });
        assert_eq!(summary(&gone), "forgotten: dialogues 2, letters 1, users 1");
        assert_eq!(summary(&json!({ "dialogues": 0 })), "nothing was kept");
    }
}
