//! What the dialogue causes: messages in the person's language, with buttons that know where they belong.

use super::{Halt, Play, title};
use crate::dialogue::data;
use crate::dialogue::effect::{Effect, Message};
use crate::dialogue::prompt::{Action, Button, Prompt, say};
use crate::dialogue::step::Deed;
use crate::dialogue::text::{Text, text};

impl Play<'_> {
    pub(super) fn deed(&mut self, deed: Deed) {
        match deed {
            Deed::Say(prompt) => self.say(&prompt),
            Deed::Tell { chat, prompt } => {
                let message = self.message(chat, None, &prompt);
                self.effects.push(Effect::Send(message));
            }
            Deed::Record(command) => self.effects.push(Effect::Record { command }),
        }
    }

    pub(super) fn say(&mut self, prompt: &Prompt) {
        let message = self.message(self.turn.key.chat, self.topic(), prompt);
        self.effects.push(Effect::Send(message));
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

    pub(super) fn message(&self, chat: i64, topic: Option<i32>, prompt: &Prompt) -> Message {
        let owner = (chat < 0).then_some(self.turn.key.user);
        let rows = prompt.rows.iter().map(|row| {
            row.iter()
                .map(|button| self.button(button, owner))
                .collect()
        });
        Message {
            chat,
            topic,
            text: self.render(&prompt.text),
            rows: rows.collect(),
        }
    }

    pub(super) fn button(&self, button: &Button, owner: Option<i64>) -> (String, String) {
        (
            self.render(&button.label),
            data::write(&button.action, &self.nonce, owner),
        )
    }

    pub(super) fn render(&self, text: &Text) -> String {
        self.flows
            .texts
            .render(text, &self.turn.view.person.language)
    }
}
