//! The menu: what the person may do, and the way to it from every end.

use super::{Halt, Play};
use crate::data;
use crate::effect::Effect;
use crate::erased::AnyFlow;
use crate::prompt::{Action, say};

/// What a link to the menu names in the place of a flow.
pub(crate) const MENU: &str = "menu";
/// The words of the button that leads there.
const HOME: &str = "home";

impl Play<'_> {
    /// Shows what the person may do. A stranger is told how to become somebody who may do more.
    pub(super) fn menu(&mut self, key: &'static str) -> Result<(), Halt> {
        let flows = self.flows;
        let (mut open, mut is_guarded) = (Vec::new(), false);
        for flow in flows.flows.iter().filter(|flow| flow.in_menu()) {
            is_guarded |= !flow.roles().is_empty();
            if self.may_begin(&**flow)? {
                open.push(flow.name());
            }
        }
        let is_stranger = is_guarded && self.member()?.roles.is_empty();
        self.list(if is_stranger { "stranger" } else { key }, &open);
        Ok(())
    }

    /// The menu of what is for everybody, while nobody can tell who this is.
    pub(super) fn open_menu(&mut self, key: &'static str) {
        let is_open = |flow: &&dyn AnyFlow| flow.in_menu() && flow.roles().is_empty();
        let flows = self.flows.flows.iter().map(|flow| &**flow);
        let open: Vec<_> = flows.filter(is_open).map(AnyFlow::name).collect();
        self.list(key, &open);
    }

    fn list(&mut self, key: &'static str, flows: &[&'static str]) {
        let title = |name| self.flows.title(name);
        let menu = flows.iter().fold(say(key), |menu, name| menu.link(title(name), *name, ""));
        self.say(&menu);
    }

    /// Puts the way to the menu under the last words of a flow that has ended, in private, where they can carry a button. A bot
    /// without flows in its menu has none.
    pub(super) fn offer_menu(&mut self) {
        let home = self.turn.key.chat;
        if home < 0 || !self.flows.flows.iter().any(|flow| flow.in_menu()) {
            return;
        }
        let language = &self.turn.view.person.language;
        let label = self.flows.texts.plain(&HOME.into(), language);
        let last = self.effects.iter_mut().rev().find_map(|effect| match effect {
            Effect::Send(message) if message.chat == home => Some(message),
            _ => None,
        });
        if let Some(last) = last.filter(|last| last.keyboard.is_none() && last.photos.len() < 2) {
            let action = Action::Link { flow: MENU.to_owned(), arg: String::new() };
            let data = data::write(&action, "", None);
            last.rows.push(vec![(label, data)]);
        }
    }
}
