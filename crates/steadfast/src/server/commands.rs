//! Tells Telegram the bot's commands: one replica, by lease, for every language. What people with a role can do besides is told by
//! [`members`].
//!
//! It does so when what was told last, of which the store keeps a mark, is something else: not at every start, and not by every
//! replica.

use std::sync::Arc;
use std::time::Duration;

use teloxide_core::payloads::{SetMyCommands, SetMyCommandsSetters as _};
use teloxide_core::types::{BotCommand, BotCommandScope};
use tokio_util::sync::CancellationToken;

use crate::dialogue::Member;
use crate::dialogue::Repertoire;
use crate::duty::{self, Duty};
use crate::mark;
use crate::outbox::telegram::{CallError, Telegram};
use crate::store::{self, Store};

pub mod members;

/// How often it is looked whether something else was told since, be it by another version.
const INTERVAL: Duration = Duration::from_secs(60);
/// How soon Telegram is told again what it could not be told.
const AGAIN: Duration = Duration::from_secs(5);

/// What Telegram is to be told: the commands for each scope and language.
///
/// Without a language they are for everybody whose language the bot does not speak, in its first one. `anybody` is whoever
/// nothing else is known of.
pub fn lists(repertoire: &Repertoire, anybody: &Member) -> Vec<SetMyCommands> {
    let scope = BotCommandScope::Default;
    let of = |language: &str| list(repertoire, language, anybody).scope(scope.clone());
    let languages = repertoire.languages();
    let others = languages.first().map(|first| of(first));
    let own = languages.iter().map(|language| of(language).language_code(*language));
    others.into_iter().chain(own).collect()
}

fn list(repertoire: &Repertoire, language: &str, member: &Member) -> SetMyCommands {
    let commands = repertoire.commands(language, member).into_iter();
    SetMyCommands::new(commands.map(|(name, words)| BotCommand::new(name, words)))
}

/// Keeps Telegram told of these until told to stop.
pub async fn keep(
    lists: Vec<SetMyCommands>,
    store: Arc<dyn Store>,
    telegram: Telegram,
    stop: CancellationToken,
) {
    let teller = Teller { lists, store: Arc::clone(&store), telegram };
    duty::keep(teller, store, stop).await;
}

struct Teller {
    lists: Vec<SetMyCommands>,
    store: Arc<dyn Store>,
    telegram: Telegram,
}

/// Why Telegram may not know the commands.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("somebody else told it something else meanwhile")]
    Overtaken,
}

impl Trouble {
    /// When to try again.
    fn wait(&self) -> Duration {
        match self {
            Self::Call(CallError::RetryAfter(wait)) => *wait,
            Self::Call(CallError::Permanent { .. }) => INTERVAL,
            Self::Call(_) | Self::Store(_) | Self::Overtaken => AGAIN,
        }
    }
}

impl Duty for Teller {
    const NAME: &'static str = "commands";

    async fn see_to(&self) -> Duration {
        match self.check().await {
            Ok(()) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "Telegram could not be told the commands");
                error.wait()
            }
        }
    }
}

impl Teller {
    async fn check(&self) -> Result<(), Trouble> {
        let (kept, ours) = (self.store.kept(Self::NAME).await?, self.mark());
        if kept.as_deref() == Some(ours.as_bytes()) {
            return Ok(());
        }
        for list in &self.lists {
            self.telegram.call(list).await?;
        }
        let keep = self.store.keep(Self::NAME, kept.as_deref(), ours.as_bytes());
        if !keep.await? {
            return Err(Trouble::Overtaken);
        }
        let lists = self.lists.len();
        tracing::info!(lists, "Telegram knows the commands");
        Ok(())
    }

    /// Tells what is to be told, and to which bot, from anything else.
    fn mark(&self) -> String {
        let all = serde_json::json!([self.telegram.mark(), self.lists]);
        mark::of(all.to_string(), 16)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dialogue::prelude::*;

    const OWNER: Role = Role::new("owner");

    /// A flow that only asks; the name and the roles are all that matters here.
    macro_rules! flow {
        ($type:ident, $name:literal, $roles:expr) => {
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(tag = "at")]
            enum $type {
                Asked,
            }

            impl Flow for $type {
                const NAME: &'static str = $name;
                const ROLES: &'static [Role] = $roles;

                fn open(turn: &Turn) -> Option<Step<Self>> {
                    turn.begins(Self::NAME).then(|| goto(Self::Asked))
                }

                fn ask(&self, _: &Context) -> Prompt {
                    say("Well?")
                }

                fn answer(self, _: &Turn) -> Answer<Self> {
                    Ok(done())
                }
            }
        };
    }

    flow!(Photo, "photo", &[]);
    flow!(Invite, "invite", &[OWNER]);

    fn flows() -> Repertoire {
        let texts = Texts::default()
            .with("en", "photo-command = Send a photo")
            .with("ru", "photo-command = Прислать фотографию");
        Repertoire::new(texts).with::<Photo>().with::<Invite>()
    }

    fn told() -> Vec<Value> {
        let lists = lists(&flows(), &Member::default());
        let lists = lists.iter().map(serde_json::to_value);
        lists.collect::<Result<_, _>>().expect("plain data")
    }

    /// What stands beside a command in a list.
    fn words<'a>(list: &'a Value, command: &str) -> &'a str {
        let mut all = list["commands"].as_array().expect("a list").iter();
        let found = all.find(|it| it["command"] == command);
        found.expect(command)["description"].as_str().expect("a text")
    }

    #[test]
    fn every_language_has_its_list_and_everybody_else_reads_english() {
        let [others, en, ru] = &told()[..] else {
            panic!("{:#?}", told());
        };
        let languages = [others, en, ru].map(|list| list.get("language_code"));
        assert_eq!(languages, [None, Some(&json!("en")), Some(&json!("ru"))]);
        assert_eq!(others["commands"], en["commands"]);
        assert_eq!(others["scope"], json!({ "type": "default" }));
        assert_eq!(words(en, "menu"), "What I can do");
        assert_eq!(words(ru, "menu"), "Что я умею");
        assert_eq!(words(ru, "photo"), "Прислать фотографию");
    }

    #[test]
    fn a_list_has_what_the_roles_allow_and_nothing_else() {
        let names = |member: &Member| {
            let list = list(&flows(), "en", member);
            let names = list.commands.into_iter().map(|command| command.command);
            names.collect::<Vec<_>>()
        };
        let (owner, anybody) = (names(&Member::with([OWNER])), names(&Member::default()));
        assert!(owner.contains(&"invite".to_owned()));
        assert!(!anybody.contains(&"invite".to_owned()));
        assert!(anybody.contains(&"photo".to_owned()));
    }
}
