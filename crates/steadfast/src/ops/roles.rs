//! Who has which role, and a way to give one and take it away.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::info;

use super::{Ops, Trouble, records};
use crate::config;
use crate::dialogue::Role;

/// Roles by person, as they were given.
type Given = BTreeMap<i64, BTreeSet<String>>;

/// The limitation of a bot without a database, for the error message.
const GIVEN: &str = "roles come from the configuration alone";

/// Whose roles; nothing: everybody's.
#[derive(Debug, Deserialize)]
pub(super) struct Whose {
    user: Option<i64>,
}

/// Which role of whom.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    user: i64,
    role: String,
}

pub(super) async fn list(
    State(ops): State<Ops>,
    Query(Whose { user }): Query<Whose>,
) -> Result<Json<Value>, Trouble> {
    let given = given(&ops, user).await?;
    let everybody: BTreeSet<i64> = match user {
        Some(user) => BTreeSet::from([user]),
        None => ops.staff.everybody().into_iter().chain(given.keys().copied()).collect(),
    };
    let people = everybody.into_iter().map(|user| shown(&ops, user, &given));
    Ok(Json(json!({
        "people": people.collect::<Vec<_>>(), "default": ops.staff.default,
    })))
}

pub(super) async fn give(
    State(ops): State<Ops>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, Trouble> {
    let role = which.role(&ops)?;
    if which.user < 1 {
        let nobody = format!("{} is nobody: the numbers of people begin at 1", which.user);
        return Err(Trouble::Asked(nobody));
    }
    let is_news = records(&ops, GIVEN)?.give_role(which.user, role).await?;
    info!(user.id = which.user, %role, is_news, "an operator gave a role");
    answered(&ops, which.user, is_news).await
}

pub(super) async fn take(
    State(ops): State<Ops>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, Trouble> {
    let (user, role) = (which.user, which.role(&ops)?);
    let is_news = records(&ops, GIVEN)?.take_role(user, role).await?;
    info!(user.id = user, %role, is_news, "an operator took a role away");
    if ops.staff.configured(role.name()).any(|id| id == user) {
        let variable = config::variable(role);
        let still = format!("{user} is {role} by {variable}: take the number out there");
        return Err(Trouble::Refused(still));
    }
    answered(&ops, user, is_news).await
}

impl Which {
    fn role(&self, ops: &Ops) -> Result<Role, Trouble> {
        Role::find(&self.role, ops.roles).map_err(Trouble::Asked)
    }
}

/// The roles that were given. Without a database there are none.
async fn given(ops: &Ops, user: Option<i64>) -> Result<Given, Trouble> {
    match &ops.records {
        Some(records) => Ok(records.roles_given(user).await?),
        None => Ok(Given::new()),
    }
}

/// What they have now, and whether that is news.
async fn answered(ops: &Ops, user: i64, is_news: bool) -> Result<Json<Value>, Trouble> {
    let given = given(ops, Some(user)).await?;
    let mut shown = shown(ops, user, &given);
    shown["changed"] = json!(is_news);
    Ok(Json(shown))
}

/// A person with all their roles, and those of them that were given.
fn shown(ops: &Ops, user: i64, given: &Given) -> Value {
    let given = given.get(&user).cloned().unwrap_or_default();
    let roles = ops.staff.roles_of(user, &given);
    json!({ "user": user, "roles": roles, "given": given })
}
