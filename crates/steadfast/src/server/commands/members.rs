//! Tells Telegram what people with a role can do besides: each in their private chat and in their language.
//!
//! Roles come and go with invitations, so it is looked every few seconds who has which, and only those are told of whom something
//! else was told last. The store keeps a mark for each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use teloxide_core::payloads::{DeleteMyCommands, DeleteMyCommandsSetters as _};
use teloxide_core::payloads::{SetMyCommands, SetMyCommandsSetters as _};
use teloxide_core::types::{BotCommandScope, ChatId};
use tokio_util::sync::CancellationToken;

use super::list;
use crate::dialogue::{Member, Repertoire};
use crate::duty::{self, Duty};
use crate::mark;
use crate::outbox::telegram::{CallError, Telegram};
use crate::records::{Fault, Sql};
use crate::staff::Staff;
use crate::store::{self, Store};

/// How often it is looked who has which role.
pub const INTERVAL: Duration = Duration::from_secs(15);
/// The same for a bot that is tried out, by one who looks on and waits.
pub const TRIED_INTERVAL: Duration = Duration::from_secs(1);
/// How soon Telegram is told again what it could not be told.
const AGAIN: Duration = Duration::from_secs(5);

/// The mark of what each person's chat was told last.
type Told = BTreeMap<i64, String>;

/// Tells Telegram what people with a role can do.
#[derive(Debug)]
pub struct Members {
    /// What the bot can do.
    pub repertoire: Arc<Repertoire>,
    /// Records with the roles that were given; none for a bot without a database.
    pub records: Option<Arc<Sql>>,
    /// Roles by the configuration.
    pub staff: Staff,
    /// Where the marks are kept.
    pub store: Arc<dyn Store>,
    /// Who is told.
    pub telegram: Telegram,
    /// How often it is looked who has which role.
    pub every: Duration,
}

/// Keeps Telegram told until told to stop.
pub async fn keep(members: Members, stop: CancellationToken) {
    let store = Arc::clone(&members.store);
    duty::keep(members, store, stop).await;
}

/// Why Telegram may not know the commands.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("it is not known who has which role: {0}")]
    Records(#[from] Fault),
}

impl Duty for Members {
    const NAME: &'static str = "commands of members";

    async fn see_to(&self) -> Duration {
        match self.check().await {
            Ok(()) => self.every,
            Err(Trouble::Call(CallError::RetryAfter(wait))) => wait,
            Err(error) => {
                tracing::warn!(%error, "Telegram could not be told the commands of a role");
                AGAIN
            }
        }
    }
}

impl Members {
    async fn check(&self) -> Result<(), Trouble> {
        let kept = self.store.kept(Self::NAME).await?;
        let before = read(kept.as_ref());
        let mut told = before.clone();
        let outcome = self.tell(&mut told).await;
        // Also half of it: what was told need not be told again.
        if told != before {
            let now = serde_json::to_vec(&told).expect("marks are plain data");
            self.store.keep(Self::NAME, kept.as_deref(), &now).await?;
        }
        outcome
    }

    async fn tell(&self, told: &mut Told) -> Result<(), Trouble> {
        let wanted = self.wanted().await?;
        for (user, list) in &wanted {
            let mark = self.mark(list);
            if told.get(user) != Some(&mark) {
                told_or_moot(self.telegram.call(list).await)?;
                told.insert(*user, mark);
            }
        }
        let gone: Vec<i64> =
            told.keys().copied().filter(|user| !wanted.contains_key(user)).collect();
        for user in gone {
            let delete = DeleteMyCommands::new().scope(scope(user));
            told_or_moot(self.telegram.call(&delete).await)?;
            told.remove(&user);
        }
        Ok(())
    }

    /// The list for each chat.
    async fn wanted(&self) -> Result<BTreeMap<i64, SetMyCommands>, Fault> {
        let members = match &self.records {
            Some(records) => records.members().await?,
            None => configured(&self.staff),
        };
        let list = |user: i64, language: &str, member| {
            list(&self.repertoire, language, member).scope(scope(user))
        };
        Ok(members
            .iter()
            .map(|(user, language, member)| (*user, list(*user, language, member)))
            .collect())
    }

    /// Tells what is to be told, and by which bot, from anything else.
    fn mark(&self, list: &SetMyCommands) -> String {
        let all = serde_json::json!([self.telegram.mark(), list]);
        mark::of(all.to_string(), 8)
    }
}

/// Everybody who has a role by the configuration. Without a database their languages are unknown.
fn configured(staff: &Staff) -> Vec<(i64, String, Member)> {
    let member = |user| Member::with(staff.roles_of(user, &BTreeSet::new()));
    staff.everybody().into_iter().map(|user| (user, String::new(), member(user))).collect()
}

/// What Telegram does not want to know of a chat is as good as told: the person may have left for good.
fn told_or_moot<T>(answer: Result<T, CallError>) -> Result<(), CallError> {
    match answer {
        Ok(_) | Err(CallError::Permanent { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn scope(user: i64) -> BotCommandScope {
    BotCommandScope::Chat { chat_id: ChatId(user).into() }
}

fn read(kept: Option<&Bytes>) -> Told {
    kept.and_then(|kept| serde_json::from_slice(kept).ok()).unwrap_or_default()
}
