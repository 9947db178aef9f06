//! What the dialogue causes: messages in the person's language, with buttons that know where they belong.

use serde_json::Value;

use super::{Halt, Play, title};
use crate::dialogue::data;
use crate::dialogue::effect::{Effect, Keys, Message, Record};
use crate::dialogue::markup::{self, MAX_CAPTION, MAX_TEXT};
use crate::dialogue::prompt::{Action, Button, Keyboard, Prompt, say};
use crate::dialogue::step::Deed;
use crate::dialogue::text::{Text, text};
use crate::store::Key;

/// How many photos Telegram takes as one album.
const MAX_ALBUM: usize = 10;

impl Play<'_> {
    /// Does what a step of this flow asks for.
    pub(super) fn deed(&mut self, flow: &str, deed: Deed) {
        let (chat, topic) = (self.turn.key.chat, self.topic());
        match deed {
            Deed::Say(prompt) => self.send(flow, chat, topic, &prompt),
            Deed::Tell { chat, prompt } => self.send(flow, chat, None, &prompt),
            Deed::Delete(name) => self.effects.push(Effect::Delete { chat, name }),
            Deed::Typing => self.effects.push(Effect::Typing { chat, topic }),
            Deed::Record(command) => {
                let record = self.record(flow, command);
                self.effects.push(Effect::Record(record));
            }
        }
    }

    /// Says something that is nobody's record.
    pub(super) fn say(&mut self, prompt: &Prompt) {
        self.send("", self.turn.key.chat, self.topic(), prompt);
    }

    /// Asks a flow's question.
    pub(super) fn ask(&mut self, flow: &str, prompt: &Prompt) {
        self.send(flow, self.turn.key.chat, self.topic(), prompt);
    }

    /// Where the person is answered: the topic of their dialogue, else the one they are talking in.
    fn topic(&self) -> Option<i32> {
        self.turn.key.topic.or(self.turn.person.topic)
    }

    pub(super) fn toast(&mut self, key: &'static str) -> Result<(), Halt> {
        self.toast = Some(key.into());
        Ok(())
    }

    /// Offers to go on with what was put aside for something that has ended.
    pub(super) fn offer_drafts(&mut self) {
        if self.dialogue.live.is_none()
            && !self.offered
            && let Some(draft) = self.dialogue.parked.last()
        {
            let flow = draft.flow.clone();
            self.offer(&flow, "resume-offer");
        }
    }

    pub(super) fn offer(&mut self, flow: &str, key: &'static str) {
        let button = |label: &'static str, action| Button {
            label: label.into(),
            action,
        };
        let prompt = say(text(key).with("what", title(flow))).row([
            button("resume-yes", Action::Resume(flow.to_owned())),
            button("resume-no", Action::Drop(flow.to_owned())),
        ]);
        self.say(&prompt);
        self.offered = true;
    }

    /// As few messages as Telegram's limits allow; the last one has the buttons, the name, and what follows.
    fn send(&mut self, flow: &str, chat: i64, topic: Option<i32>, prompt: &Prompt) {
        let text = self.markup(&prompt.text);
        let plain = |text: String| Message {
            chat,
            topic,
            text,
            ..Message::default()
        };
        let mut messages: Vec<Message> = Vec::new();
        let captioned = fits_caption(prompt, &text);
        for album in prompt.photos.chunks(MAX_ALBUM) {
            messages.push(Message {
                photos: album.to_vec(),
                ..plain(String::new())
            });
        }
        match messages.last_mut() {
            Some(last) if captioned => last.text = text,
            _ => messages.extend(markup::split(&text, MAX_TEXT).into_iter().map(plain)),
        }
        if let Some(last) = messages.last_mut() {
            self.finish(flow, prompt, last);
        }
        let effects = messages
            .into_iter()
            .map(|message| Effect::Send(Box::new(message)));
        self.effects.extend(effects);
    }

    /// Gives the last message what belongs to the whole.
    fn finish(&self, flow: &str, prompt: &Prompt, message: &mut Message) {
        let owner = (message.chat < 0).then_some(self.turn.key.user);
        let row = |row: &Vec<Button>| {
            row.iter()
                .map(|button| self.button(button, owner))
                .collect()
        };
        message.rows = prompt.rows.iter().map(row).collect();
        message.keyboard = prompt.keyboard.as_ref().map(|keyboard| self.keys(keyboard));
        message.name.clone_from(&prompt.name);
        message.in_place = prompt.in_place;
        message.reply_to = prompt.reply_to;
        message.then = prompt
            .then
            .clone()
            .map(|command| self.record(flow, command));
    }

    fn record(&self, flow: &str, command: Value) -> Record {
        let Key { user, topic, .. } = self.turn.key;
        Record {
            flow: flow.to_owned(),
            user,
            topic,
            command,
            last: 0,
        }
    }

    fn keys(&self, keyboard: &Keyboard) -> Keys {
        let words = |row: &Vec<Text>| row.iter().map(|word| self.plain(word)).collect();
        match keyboard {
            Keyboard::Contact(label) => Keys::Contact(self.plain(label)),
            Keyboard::Words(rows) => Keys::Words(rows.iter().map(words).collect()),
            Keyboard::Remove => Keys::Remove,
        }
    }

    fn button(&self, button: &Button, owner: Option<i64>) -> (String, String) {
        (
            self.plain(&button.label),
            data::write(&button.action, &self.nonce, owner),
        )
    }

    fn markup(&self, text: &Text) -> String {
        self.flows
            .texts
            .markup(text, &self.turn.view.person.language)
    }

    fn plain(&self, text: &Text) -> String {
        self.flows
            .texts
            .plain(text, &self.turn.view.person.language)
    }
}

/// An album takes no buttons, and a caption is short.
fn fits_caption(prompt: &Prompt, text: &str) -> bool {
    let album = prompt.photos.len() > 1;
    let bare = prompt.rows.is_empty() && prompt.keyboard.is_none() && !prompt.in_place;
    (bare || !album) && markup::length(text) <= MAX_CAPTION
}
