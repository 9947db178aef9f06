//! The bot, as others see it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::User;
use super::world::World;

/// What a bot is called whom nobody has named.
const NAME: &str = "Bot";
const USERNAME: &str = "emulated_bot";

/// The bot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Bot {
    /// What it calls with.
    pub(super) token: Option<String>,
    /// What its owner named it.
    #[serde(default)]
    name: Option<String>,
    /// Its name with an `@`.
    #[serde(default)]
    username: Option<String>,
    /// Its commands, by scope and language.
    pub(super) commands: BTreeMap<String, Vec<Value>>,
    /// What it is called and what is said of it, by method and language.
    pub(super) sayings: BTreeMap<String, String>,
}

impl Bot {
    /// It is called that at the start. What it has called itself since it was last called the same stands.
    pub(super) fn name_again(&mut self, name: Option<String>, username: Option<String>) {
        let name = name.filter(|name| self.name.as_ref() != Some(name));
        self.rename(name, username);
    }

    /// It is called otherwise from now on, whatever it said itself.
    pub(super) fn rename(&mut self, name: Option<String>, username: Option<String>) {
        if name.is_some() {
            self.name = name;
            self.sayings.retain(|saying, _| !saying.starts_with("name/"));
        }
        if username.is_some() {
            self.username = username.map(|it| it.trim_start_matches('@').to_owned());
        }
    }
}

impl World {
    /// The bot, as others see it.
    pub(super) fn me(&self) -> User {
        let token = self.bot.token.as_deref().unwrap_or_default();
        let id = token.split(':').next().and_then(|id| id.parse().ok());
        let said = self.bot.sayings.get("name/").cloned();
        let name = said.filter(|it| !it.is_empty()).or_else(|| self.bot.name.clone());
        let username = self.bot.username.clone();
        User {
            id: id.unwrap_or(9000),
            is_bot: true,
            first_name: name.unwrap_or_else(|| NAME.to_owned()),
            username: Some(username.unwrap_or_else(|| USERNAME.to_owned())),
            ..User::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_bot_has_called_itself_outlives_a_start_under_the_same_name() {
        let mut bot = Bot::default();
        let own = |bot: &Bot| bot.sayings.contains_key("name/");
        let called = |name: &str| Some(name.to_owned());
        bot.name_again(called("Shop"), None);
        bot.sayings.insert("name/".to_owned(), "Mine".to_owned());
        bot.name_again(called("Shop"), None);
        assert!(own(&bot));
        bot.name_again(called("Store"), None);
        assert!(!own(&bot));
    }
}
