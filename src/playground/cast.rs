//! The people there are at first, and the roles that the bot knows them by.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::Value;

use super::Playground;
use super::api::Trouble;
use crate::emulator::{Cannot, Emulator, Group, Person};
use crate::role::Role;

/// Id, name, language, role.
const PEOPLE: [(i64, &str, &str, &str); 6] = [
    (5001, "Ann", "en", "dispatcher"),
    (5002, "Вера", "ru", "worker"),
    (5003, "Иван", "ru", "master"),
    (5004, "Olga", "en", "dispatcher"),
    (5005, "Павел", "ru", "owner"),
    (5006, "Ben", "en", "worker"),
];
/// Those who work together, in a group.
const CREW: [i64; 4] = [5003, 5004, 5005, 5006];

/// Brings the people in, unless somebody is there already.
pub(super) fn gather(emulator: &Emulator) -> Result<(), Cannot> {
    if !emulator.people().is_empty() {
        return Ok(());
    }
    for (id, name, language, role) in PEOPLE {
        emulator.add_person(Person {
            id,
            language_code: language.to_owned(),
            role: Some(role.to_owned()),
            ..Person::named(name)
        });
    }
    let crew = Group {
        title: "The crew".to_owned(),
        members: CREW.to_vec(),
        kind: "supergroup".to_owned(),
        ..Group::default()
    };
    emulator.add_group(crew).map(drop)
}

/// Tells each bot that comes up who has which role, for ever.
pub(super) async fn introduce(playground: Playground) {
    let mut status = playground.0.status.subscribe();
    while status
        .wait_for(|bot| bot.ready && !bot.introduced)
        .await
        .is_ok()
    {
        let starts = status.borrow().starts;
        if let Err(error) = playground.give_roles().await {
            tracing::warn!(%error, "the bot was not told who has which role");
        }
        playground.0.status.send_modify(|bot| {
            bot.introduced |= bot.ready && bot.starts == starts;
        });
    }
}

/// Whoever changes a person has the answer when the bot knows their role: their next message finds it.
pub(super) async fn tell_of_roles(
    State(playground): State<Playground>,
    request: Request,
    next: Next,
) -> Response {
    let is_change = request.method() != Method::GET;
    let is_about = request.uri().path().starts_with("/emulator/people");
    let response = next.run(request).await;
    if is_change && is_about && response.status().is_success() {
        // It is told again when it starts again.
        if let Err(error) = playground.give_roles().await {
            tracing::warn!(%error, "the bot was not told of a role");
        }
    }
    response
}

impl Playground {
    /// Gives everybody the role that they play, and takes those that they do not.
    async fn give_roles(&self) -> Result<(), Trouble> {
        let _telling = self.0.telling.lock().await;
        let (_, known) = self.ask(Method::GET, "/roles").await?;
        let given = given(&known);
        for person in self.0.emulator.people() {
            let plays: BTreeSet<Role> = played(&person).into_iter().collect();
            let has = given.get(&person.id).cloned().unwrap_or_default();
            let lacking = plays.difference(&has).map(|role| (Method::PUT, role));
            let beyond = has.difference(&plays).map(|role| (Method::DELETE, role));
            for (method, role) in lacking.chain(beyond) {
                let path = format!("/roles?user={}&role={role}", person.id);
                self.told(method, &path).await?;
            }
        }
        Ok(())
    }

    async fn told(&self, method: Method, path: &str) -> Result<(), Trouble> {
        match self.ask(method, path).await? {
            (StatusCode::OK, _) => Ok(()),
            (_, answer) => Err(Trouble::Bot(answer["error"].to_string())),
        }
    }
}

/// The role that somebody plays, unless it is one that only people know.
fn played(person: &Person) -> Option<Role> {
    person.role.as_deref()?.trim().to_lowercase().parse().ok()
}

/// The roles that the bot says it has given.
fn given(answer: &Value) -> BTreeMap<i64, BTreeSet<Role>> {
    let people = answer["people"].as_array().into_iter().flatten();
    let own = people.filter_map(|person| {
        let roles = serde_json::from_value(person["given"].clone()).ok()?;
        Some((person["user"].as_i64()?, roles))
    });
    own.collect()
}
