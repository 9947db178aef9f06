//! What the dialogue causes: messages in the person's language, with buttons that know where they belong.

use serde_json::Value;

use super::{Halt, Play};
use crate::DialogueKey;
use crate::data;
use crate::effect::{Effect, Keys, Message, Record};
use crate::erased::{Act, Acted, Onward, Taken};
use crate::input::Input;
use crate::markup::{self, MAX_CAPTION, MAX_TEXT};
use crate::prompt::{Action, Button, Keyboard, Prompt, say};
use crate::step::Deed;
use crate::text::{Text, text};

/// How many photos Telegram takes as one album.
const MAX_ALBUM: usize = 10;

impl Play<'_> {
    /// Does what a step of this flow asks for.
    pub(super) fn deed(&mut self, flow: &str, deed: Deed) {
        let (chat, topic) = (self.turn.key.chat, self.topic());
        match deed {
            Deed::Say(prompt) => self.ask(flow, &prompt),
            Deed::Tell { chat, language, prompt } => {
                self.send(flow, (chat, None), &language, &prompt)
            }
            Deed::Delete(name) => self.effects.push(Effect::Delete { chat, name }),
            Deed::Typing => self.effects.push(Effect::Typing { chat, topic }),
            Deed::Record(command) => {
                let record = self.record(flow, command);
                self.effects.push(Effect::Record(record));
            }
            Deed::Speak(language) => self.speak(language),
        }
    }

    /// From now on, and from the next word on, it is this language.
    pub(super) fn speak(&mut self, language: String) {
        self.turn.view.person.language.clone_from(&language);
        self.dialogue.speaks = language;
    }

    /// Says something that is nobody's record.
    pub(super) fn say(&mut self, prompt: &Prompt) {
        self.ask("", prompt);
    }

    /// Asks a flow's question, or says something else of its, where the person is.
    pub(super) fn ask(&mut self, flow: &str, prompt: &Prompt) {
        let here = (self.turn.key.chat, self.topic());
        let language = self.turn.view.person.language.clone();
        self.send(flow, here, &language, prompt);
    }

    /// Where the person is answered: the topic of their dialogue, else the one they are talking in.
    pub(super) fn topic(&self) -> Option<i32> {
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
        let button = |label: &'static str, action| Button { label: label.into(), action };
        let prompt = say(text(key).with("what", self.flows.title(flow))).row([
            button("resume-yes", Action::Resume(flow.to_owned())),
            button("resume-no", Action::Drop(flow.to_owned())),
        ]);
        self.say(&prompt);
        self.offered = true;
    }

    /// As few messages as Telegram's limits allow; the last one has the buttons, the name, and what follows. Several are never
    /// changed in place: those before the last would stand there twice, so all of them are sent anew.
    fn send(
        &mut self,
        flow: &str,
        (chat, topic): (i64, Option<i32>),
        language: &str,
        prompt: &Prompt,
    ) {
        let texts = &self.flows.texts;
        let text = texts.markup(&prompt.text, language);
        let plain = |text: String| Message { chat, topic, text, ..Message::default() };
        let mut messages: Vec<Message> = Vec::new();
        let captioned = fits_caption(prompt, &text);
        for album in prompt.photos.chunks(MAX_ALBUM) {
            messages.push(Message { photos: album.to_vec(), ..plain(String::new()) });
        }
        match messages.last_mut() {
            Some(last) if captioned => last.text = text,
            // What an album cannot carry needs some words to stand under.
            Some(_) if text.is_empty() => {
                messages.push(plain(texts.markup(&"under-photos".into(), language)));
            }
            _ => messages.extend(markup::split(&text, MAX_TEXT).into_iter().map(plain)),
        }
        let is_one = messages.len() == 1;
        if let Some(last) = messages.last_mut() {
            self.finish(flow, language, prompt, last);
            last.in_place &= is_one;
        }
        let effects = messages.into_iter().map(|message| Effect::Send(Box::new(message)));
        self.effects.extend(effects);
    }

    /// Gives the last message what belongs to the whole.
    fn finish(&self, flow: &str, language: &str, prompt: &Prompt, message: &mut Message) {
        let owner = (message.chat < 0).then_some(self.turn.key.user);
        let row = |row: &Vec<Button>| {
            row.iter().map(|button| self.button(button, language, owner)).collect()
        };
        message.rows = prompt.rows.iter().map(row).collect();
        // In groups Telegram has no key that shares a number, and would refuse the whole message.
        let is_group = message.chat < 0;
        let keyboard = prompt.keyboard.as_ref();
        let keyboard = keyboard.filter(|it| !(is_group && matches!(it, Keyboard::Contact(_))));
        message.keyboard = keyboard.map(|keyboard| self.keys(keyboard, language));
        message.name.clone_from(&prompt.name);
        message.in_place = prompt.in_place || prompt.refreshes && self.is_pressed(message);
        message.reply_to = prompt.reply_to;
        message.then = prompt.then.clone().map(|command| self.record(flow, command));
        let home = self.turn.key.chat;
        if let Some(record) = &mut message.then {
            record.home = Some(home).filter(|home| *home != message.chat);
        }
    }

    /// Whether a button of the message that goes by this name led here, and nothing was said meanwhile that would stand below it.
    fn is_pressed(&self, message: &Message) -> bool {
        let is_above =
            |effect: &Effect| matches!(effect, Effect::Send(said) if said.chat == message.chat);
        matches!(self.turn.input, Input::Choice(_))
            && !self.effects.iter().any(is_above)
            && self.asked() == message.name
    }

    /// The name of the message that asked what this turn answers.
    fn asked(&self) -> Option<String> {
        let live = self.before.live.as_ref()?;
        let flow = self.flows.flow(&live.flow)?;
        match flow.act(live.schema, &live.state, Act::Ask, &self.turn) {
            Ok(Acted::Taken(Taken { next: Onward::At(_, Some(prompt)), .. })) => prompt.name,
            _ => None,
        }
    }

    fn record(&self, flow: &str, command: Value) -> Record {
        let DialogueKey { user, topic, .. } = self.turn.key;
        Record { flow: flow.to_owned(), user, topic, home: None, command, last: 0, aside: false }
    }

    fn keys(&self, keyboard: &Keyboard, language: &str) -> Keys {
        let plain = |text: &Text| self.flows.texts.plain(text, language);
        let words = |row: &Vec<Text>| row.iter().map(plain).collect();
        match keyboard {
            Keyboard::Contact(label) => Keys::Contact(plain(label)),
            Keyboard::Words(rows) => Keys::Words(rows.iter().map(words).collect()),
            Keyboard::Remove => Keys::Remove,
        }
    }

    fn button(&self, button: &Button, language: &str, owner: Option<i64>) -> (String, String) {
        (
            self.flows.texts.plain(&button.label, language),
            data::write(&button.action, &self.nonce, owner),
        )
    }
}

/// An album takes no buttons, and a caption is short.
fn fits_caption(prompt: &Prompt, text: &str) -> bool {
    let album = prompt.photos.len() > 1;
    let bare = prompt.rows.is_empty() && prompt.keyboard.is_none() && !prompt.in_place;
    (bare || !album) && markup::length(text) <= MAX_CAPTION
}
