//! The key that shares a number: it goes with the question that showed it. Pressed later, it would answer another one.

use super::Play;
use crate::effect::{Effect, Keys, Message};

/// The words that take the key away where nothing else is said that can.
const AWAY: &str = "keys-away";

impl Play<'_> {
    /// Notes that the key is shown; or takes it away, once its question is left.
    pub(super) fn mind_keys(&mut self) {
        let home = self.turn.key.chat;
        let mut said = self.effects.iter_mut().filter_map(|it| said_in(home, it));
        if let Some(keys) = said.rfind(|it| it.keyboard.is_some()).map(|it| &it.keyboard) {
            let is_shown = matches!(keys, Some(Keys::Contact(_)));
            self.dialogue.keys = is_shown && self.dialogue.live.is_some();
        } else if self.dialogue.keys && !self.stays() {
            self.take_keys_away(home);
        }
    }

    /// Whether the dialogue is where it was.
    fn stays(&self) -> bool {
        let [before, now] = [&self.before, &self.dialogue].map(|it| {
            let live = it.live.as_ref();
            live.map(|live| (&live.flow, live.state.at()))
        });
        before == now
    }

    /// With the first thing that is said and can; else with some words before it. Where nothing is said at all, it is put off.
    fn take_keys_away(&mut self, home: i64) {
        let mut said = self.effects.iter_mut().filter_map(|it| said_in(home, it));
        if let Some(bare) = said.find(|it| is_bare(it)) {
            bare.keyboard = Some(Keys::Remove);
            self.dialogue.keys = false;
            return;
        }
        let mut effects = self.effects.iter_mut();
        if let Some(at) = effects.position(|it| said_in(home, it).is_some()) {
            let language = &self.turn.view.person.language;
            let text = self.flows.texts.markup(&AWAY.into(), language);
            let away = Message {
                chat: home,
                topic: self.topic(),
                text,
                keyboard: Some(Keys::Remove),
                ..Message::default()
            };
            self.effects.insert(at, Effect::Send(Box::new(away)));
            self.dialogue.keys = false;
        }
    }
}

/// What is said in this chat, if it is that.
fn said_in(home: i64, effect: &mut Effect) -> Option<&mut Message> {
    match effect {
        Effect::Send(message) if message.chat == home => Some(message),
        _ => None,
    }
}

/// Whether a message has room for what becomes of the keyboard.
fn is_bare(message: &Message) -> bool {
    message.rows.is_empty() && !message.in_place && message.photos.len() < 2
}
