//! Keeps the roles that people are seen to play and those that the bot knows them by the same.
//!
//! Either side may change them: whoever plays does on the page, and the bot by an invitation. What both had last is written down, so
//! that it is known who has changed something since. Where both have, the page has the last word.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::Value;

use super::Playground;
use super::api::Trouble;
use crate::emulator::Person;

/// How often it is looked whether the bot has given somebody a role, or taken it.
const INTERVAL: Duration = Duration::from_secs(1);

/// The roles of somebody, by their names.
type Roles = BTreeSet<String>;
/// Those of everybody who has any.
type Everybody = BTreeMap<i64, Roles>;

/// What the page and the bot both had last.
#[derive(Debug)]
pub(super) struct Agreed {
    path: PathBuf,
    roles: Everybody,
}

impl Agreed {
    /// As it was written down there; where nothing was, nobody had a role.
    pub(super) fn read(path: PathBuf) -> Self {
        let written = std::fs::read(&path).ok();
        let roles = written.and_then(|text| serde_json::from_slice(&text).ok());
        Self { roles: roles.unwrap_or_default(), path }
    }

    /// Writes it down, if it is something else.
    fn note(&mut self, roles: Everybody) {
        if self.roles == roles {
            return;
        }
        self.roles = roles;
        let text = serde_json::to_vec(&self.roles).unwrap_or_default();
        if let Err(error) = std::fs::write(&self.path, text) {
            tracing::warn!(%error, "who has which role is not kept for another day");
        }
    }
}

/// What is to be done about the roles of somebody.
#[derive(Debug, PartialEq, Eq)]
enum Settlement<'a> {
    /// Nothing.
    Same,
    /// The bot is told what they play.
    Told,
    /// They are seen to play what the bot knows them by.
    Seen(&'a Roles),
}

/// Who has changed something since both had `agreed`.
fn settle<'a>(agreed: &Roles, plays: &Roles, has: &'a Roles) -> Settlement<'a> {
    match (plays == agreed, has == agreed) {
        (false, _) => Settlement::Told,
        (true, false) => Settlement::Seen(has),
        (true, true) => Settlement::Same,
    }
}

/// Tells each bot that comes up who has which role, for ever.
pub(super) async fn introduce(playground: Playground) {
    let mut status = playground.0.status.subscribe();
    while status.wait_for(|bot| bot.ready && !bot.introduced).await.is_ok() {
        let starts = status.borrow().starts;
        if let Err(error) = playground.settle_roles().await {
            tracing::warn!(%error, "the bot was not told who has which role");
        }
        playground.0.status.send_modify(|bot| {
            bot.introduced |= bot.ready && bot.starts == starts;
        });
    }
}

/// Looks again and again who has which role, for ever: an invitation is between people and the bot.
pub(super) async fn look(playground: Playground) {
    let mut status = playground.0.status.subscribe();
    while status.wait_for(|bot| bot.introduced).await.is_ok() {
        // It may have died meanwhile.
        if let Err(error) = playground.settle_roles().await {
            tracing::debug!(%error, "it is not known who has which role");
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Whoever changes a person has the answer when the bot knows their role: their next message finds it.
pub(super) async fn tell(
    State(playground): State<Playground>,
    request: Request,
    next: Next,
) -> Response {
    let is_change = request.method() != Method::GET;
    let is_about = request.uri().path().starts_with("/emulator/people");
    let response = next.run(request).await;
    if is_change && is_about && response.status().is_success() {
        // It is told again when it starts again.
        if let Err(error) = playground.settle_roles().await {
            tracing::warn!(%error, "the bot was not told of a role");
        }
    }
    response
}

impl Playground {
    /// Sees to it that everybody has the roles that they play, and plays those that they have.
    async fn settle_roles(&self) -> Result<(), Trouble> {
        let mut agreed = self.0.agreed.lock().await;
        let (_, known) = self.ask(Method::GET, "/roles").await?;
        let given = given(&known, &self.0.roles);
        let (mut now, nothing) = (Everybody::new(), Roles::new());
        for person in self.0.emulator.people() {
            let of = |all: &Everybody| all.get(&person.id).cloned().unwrap_or_default();
            let (plays, has) =
                (played(&person, &self.0.roles), given.get(&person.id).unwrap_or(&nothing));
            let settled = match settle(&of(&agreed.roles), &plays, has) {
                Settlement::Same => plays,
                Settlement::Told => {
                    self.tell_of(person.id, &plays, has).await?;
                    plays
                }
                Settlement::Seen(has) => {
                    let (emulator, now) = (&self.0.emulator, words(has));
                    emulator.recast(person.id, person.role.as_deref(), now.as_deref());
                    has.clone()
                }
            };
            now.insert(person.id, settled);
        }
        now.retain(|_, roles| !roles.is_empty());
        agreed.note(now);
        Ok(())
    }

    /// Tells the bot that somebody plays these roles, and no others that they have.
    async fn tell_of(&self, person: i64, plays: &Roles, has: &Roles) -> Result<(), Trouble> {
        let lacking = plays.difference(has).map(|role| (Method::PUT, role));
        let beyond = has.difference(plays).map(|role| (Method::DELETE, role));
        for (method, role) in lacking.chain(beyond) {
            let path = format!("/roles?user={person}&role={role}");
            match self.ask(method, &path).await? {
                (StatusCode::OK, _) => {}
                (_, answer) => return Err(Trouble::Bot(answer["error"].to_string())),
            }
        }
        Ok(())
    }
}

/// The roles that somebody plays, of those that the bot knows.
fn played(person: &Person, known: &[&str]) -> Roles {
    let said = person.role.as_deref().unwrap_or_default().split(',');
    let said = said.map(|word| word.trim().to_lowercase());
    said.filter(|word| known.contains(&word.as_str())).collect()
}

/// The same as they are written.
fn words(roles: &Roles) -> Option<String> {
    let names: Vec<&str> = roles.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The roles that the bot says it has given, of those that it knows.
fn given(answer: &Value, known: &[&str]) -> Everybody {
    let people = answer["people"].as_array().into_iter().flatten();
    let own = people.filter_map(|person| {
        let roles = person["given"].as_array()?.iter().filter_map(Value::as_str);
        let roles = roles.filter(|role| known.contains(role)).map(str::to_owned);
        Some((person["user"].as_i64()?, roles.collect()))
    });
    own.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_changed_something_last_is_heeded_and_the_page_before_the_bot() {
        let [nothing, guest, clerk] = [&[][..], &["guest"], &["clerk"]]
            .map(|roles| roles.iter().map(|&role| role.to_owned()).collect::<Roles>());
        assert_eq!(settle(&nothing, &nothing, &nothing), Settlement::Same);
        assert_eq!(settle(&guest, &clerk, &guest), Settlement::Told);
        let seen = settle(&nothing, &nothing, &guest);
        assert_eq!(seen, Settlement::Seen(&guest), "by an invitation");
        let seen = settle(&guest, &guest, &nothing);
        assert_eq!(seen, Settlement::Seen(&nothing), "the bot took it");
        assert_eq!(settle(&nothing, &clerk, &guest), Settlement::Told);
    }

    #[test]
    fn several_roles_are_written_as_they_are_read() {
        let role = Some("clerk, guest".to_owned());
        let person = Person { role: role.clone(), ..Person::named("Kim") };
        let roles = played(&person, &["guest", "clerk"]);
        assert_eq!(roles, Roles::from(["clerk", "guest"].map(str::to_owned)));
        assert_eq!(words(&roles), role);
        assert_eq!(words(&Roles::new()), None);
    }
}
