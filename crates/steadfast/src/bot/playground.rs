//! People to try a bot as, and scripts to load it with.

use crate::dialogue::Role;

/// The users and the group that a playground starts with, and the scripts of the load bench.
///
/// A bot that declares no users gets two without roles; one that declares no scripts gets `/start`.
#[derive(Debug, Clone, Default)]
pub struct Playground {
    users: Vec<User>,
    group: Option<UserGroup>,
    scripts: Vec<&'static [ScriptStep]>,
    variables: Vec<(&'static str, &'static str)>,
}

/// A group of a playground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserGroup {
    /// Title of the group.
    pub title: &'static str,
    /// Names of the users in it.
    pub members: &'static [&'static str],
}

/// A user of a playground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// First name.
    pub name: &'static str,
    /// Language of the Telegram app, as an IETF tag.
    pub language: &'static str,
    /// Names of the roles.
    pub roles: Vec<&'static str>,
}

/// A step of a script: what a simulated user does, and the reply that ends the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptStep {
    /// Action of the user.
    pub action: UserAction,
    /// Part of the expected reply, in English. Other replies before it are skipped; the empty string accepts any.
    pub reply: &'static str,
}

/// An action of a simulated user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserAction {
    /// Sends this text.
    Types(&'static str),
    /// Sends a photo.
    SendsPhoto,
    /// Presses the button with this label, below the last message.
    Presses(&'static str),
}

impl Playground {
    /// Returns a playground with the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a user whose app speaks English.
    #[must_use]
    pub fn user(self, name: &'static str, roles: &[Role]) -> Self {
        self.user_in("en", name, roles)
    }

    /// Adds a user whose app speaks `language`.
    #[must_use]
    pub fn user_in(mut self, language: &'static str, name: &'static str, roles: &[Role]) -> Self {
        let roles = roles.iter().map(|role| role.name()).collect();
        self.users.push(User { name, language, roles });
        self
    }

    /// Adds a group of the users with these names, and of the bot.
    #[must_use]
    pub fn group(mut self, title: &'static str, members: &'static [&'static str]) -> Self {
        self.group = Some(UserGroup { title, members });
        self
    }

    /// Adds a script for the load bench.
    ///
    /// It must end where it began: outside of every dialogue. Simulated users run the scripts in turn, again and again.
    #[must_use]
    pub fn script(mut self, steps: &'static [ScriptStep]) -> Self {
        self.scripts.push(steps);
        self
    }

    /// Sets a variable of the bot's environment, such as one of its own settings.
    ///
    /// The bot runs in a directory of the playground, so a relative path is a path in it.
    #[must_use]
    pub fn variable(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    /// Returns the variables and their values.
    pub fn variables(&self) -> &[(&'static str, &'static str)] {
        &self.variables
    }

    /// Returns the declared users, or else the default ones.
    pub fn users(&self) -> Vec<User> {
        match self.users.is_empty() {
            true => Self::new().user("Anna", &[]).user("Ben", &[]).users,
            false => self.users.clone(),
        }
    }

    /// Returns the group, if there is one.
    pub fn user_group(&self) -> Option<UserGroup> {
        self.group
    }

    /// Returns the declared scripts, or else the default one.
    pub fn scripts(&self) -> Vec<&'static [ScriptStep]> {
        match self.scripts.is_empty() {
            true => vec![const { &[ScriptStep::types("/start", "")] }],
            false => self.scripts.clone(),
        }
    }
}

impl ScriptStep {
    /// Sends a text, and waits for a reply that contains `reply`.
    #[must_use]
    pub const fn types(text: &'static str, reply: &'static str) -> Self {
        Self { action: UserAction::Types(text), reply }
    }

    /// Sends a photo, and waits for a reply that contains `reply`.
    #[must_use]
    pub const fn sends_photo(reply: &'static str) -> Self {
        Self { action: UserAction::SendsPhoto, reply }
    }

    /// Presses the button with this label, and waits for a reply that contains `reply`.
    #[must_use]
    pub const fn presses(label: &'static str, reply: &'static str) -> Self {
        Self { action: UserAction::Presses(label), reply }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playground_has_two_users_and_start_by_default() {
        let playground = Playground::new();
        let names: Vec<_> = playground.users().iter().map(|user| user.name).collect();
        assert_eq!(names, ["Anna", "Ben"]);
        assert_eq!(playground.scripts(), [[ScriptStep::types("/start", "")]]);
        assert_eq!(playground.user_group(), None);
    }

    #[test]
    fn playground_has_only_what_a_bot_declares() {
        const SCRIPT: &[ScriptStep] = &[ScriptStep::sends_photo("Thank you!")];
        let playground =
            Playground::new().user_in("ru", "Вера", &[Role::new("guest")]).script(SCRIPT);
        let vera = User { name: "Вера", language: "ru", roles: vec!["guest"] };
        assert_eq!(playground.users(), [vera]);
        assert_eq!(playground.scripts(), [SCRIPT]);
    }
}
