//! The people there are at first, and what the bot knows of their roles.

use std::io;

use axum::body::Body;
use axum::http::{Method, Request, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::config::VARIABLES;
use crate::emulator::Emulator;

/// Id, name, language, role.
const PEOPLE: [(i64, &str, &str, &str); 6] = [
    (5001, "Ann", "en", "client"),
    (5002, "Вера", "ru", "client"),
    (5003, "Иван", "ru", "master"),
    (5004, "Olga", "en", "dispatcher"),
    (5005, "Павел", "ru", "owner"),
    (5006, "Ben", "en", "worker"),
];
/// Those who work together, in a group.
const CREW: [i64; 4] = [5003, 5004, 5005, 5006];

/// Brings the people in, unless somebody is there already.
pub(super) async fn gather(emulator: &Emulator) -> io::Result<()> {
    let people = state(emulator).await?;
    if people.as_array().is_some_and(|people| !people.is_empty()) {
        return Ok(());
    }
    for (id, name, language, role) in PEOPLE {
        let person = json!({ "id": id, "name": name, "language": language, "role": role });
        control(emulator, Method::POST, "/emulator/people", &person).await?;
    }
    let group = json!({ "title": "The crew", "members": CREW, "kind": "supergroup" });
    control(emulator, Method::POST, "/emulator/groups", &group).await?;
    Ok(())
}

/// The variables that tell the bot who has which role: `OWNER_IDS` and the like, as far as it knows them.
pub(super) async fn roles(emulator: &Emulator) -> io::Result<Vec<(String, String)>> {
    let people = state(emulator).await?;
    let with = |role: &str| {
        let people = people.as_array().into_iter().flatten();
        let own = people.filter(|person| person["role"] == role);
        let ids: Vec<String> = own.map(|person| person["id"].to_string()).collect();
        ids.join(",")
    };
    let roles = VARIABLES.iter().filter_map(|variable| {
        let role = variable.name.strip_suffix("_IDS")?;
        Some((variable.name.to_owned(), with(&role.to_lowercase())))
    });
    Ok(roles.filter(|(_, ids)| !ids.is_empty()).collect())
}

async fn state(emulator: &Emulator) -> io::Result<Value> {
    let mut state = control(emulator, Method::GET, "/emulator/state", &Value::Null).await?;
    Ok(state["people"].take())
}

/// Asks the emulator as anybody may.
async fn control(
    emulator: &Emulator,
    method: Method,
    path: &str,
    body: &Value,
) -> io::Result<Value> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .map_err(io::Error::other)?;
    let response = emulator.router().oneshot(request).await;
    let response = response.map_err(io::Error::other)?;
    let status = response.status();
    let body = response.into_body().collect().await;
    let body = body.map_err(io::Error::other)?.to_bytes();
    let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    match status.is_success() {
        true => Ok(answer),
        false => Err(io::Error::other(format!("{path}: {status}: {answer}"))),
    }
}
