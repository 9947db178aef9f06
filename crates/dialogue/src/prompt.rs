//! What the bot says: words, buttons under them, photos.

use serde::Serialize;
use serde_json::Value;

use super::text::Text;

/// Something the bot says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prompt {
    /// The words.
    pub text: Text,
    /// Rows of buttons under it.
    pub rows: Vec<Vec<Button>>,
    /// What becomes of the keyboard in the place of the person's own.
    pub keyboard: Option<Keyboard>,
    /// Photos by their file id; the words are their caption.
    pub photos: Vec<String>,
    /// A name by which a later prompt finds this message.
    pub name: Option<String>,
    /// It changes the message of its name in place.
    pub in_place: bool,
    /// It changes the message of its name in place when one of that message's buttons is what led here.
    pub refreshes: bool,
    /// The message it answers.
    pub reply_to: Option<i32>,
    /// A record command to carry out once it is sent.
    pub then: Option<Value>,
}

/// A keyboard in the place of the person's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keyboard {
    /// One key that shares the person's own number.
    Contact(Text),
    /// Rows of keys that type what is written on them.
    Words(Vec<Vec<Text>>),
    /// The person's own keyboard comes back.
    Remove,
}

/// A button under a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What is written on it.
    pub label: Text,
    /// What pressing it does.
    pub action: Action,
}

/// What pressing a button does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Answers the prompt that shows it, with this value. Dead once the dialogue has moved on.
    Choice(String),
    /// Opens a flow with an argument. Valid for ever; the flow decides who may.
    Link {
        /// The flow's name.
        flow: String,
        /// What [`super::Flow::open`] finds as [`super::Input::Link`].
        arg: String,
    },
    /// Goes on with the parked draft of this flow.
    Resume(String),
    /// Throws the parked draft of this flow away.
    Drop(String),
}

/// Says something.
pub fn say(text: impl Into<Text>) -> Prompt {
    Prompt { text: text.into(), ..Prompt::default() }
}

/// A button that answers the prompt.
pub fn choice(label: impl Into<Text>, value: impl Into<String>) -> Button {
    Button { label: label.into(), action: Action::Choice(value.into()) }
}

/// A button that opens a flow.
pub fn link(label: impl Into<Text>, flow: impl Into<String>, arg: impl Into<String>) -> Button {
    Button { label: label.into(), action: Action::Link { flow: flow.into(), arg: arg.into() } }
}

impl Prompt {
    /// Adds a row of buttons.
    #[must_use]
    pub fn row(mut self, buttons: impl IntoIterator<Item = Button>) -> Self {
        self.rows.push(buttons.into_iter().collect());
        self
    }

    /// Adds a row with one button that answers the prompt.
    #[must_use]
    pub fn choice(self, label: impl Into<Text>, value: impl Into<String>) -> Self {
        self.row([choice(label, value)])
    }

    /// Adds a row with one button that opens a flow.
    #[must_use]
    pub fn link(
        self,
        label: impl Into<Text>,
        flow: impl Into<String>,
        arg: impl Into<String>,
    ) -> Self {
        self.row([link(label, flow, arg)])
    }

    /// Shows a key that shares the person's own number; in private only, as Telegram has none in groups.
    #[must_use]
    pub fn asks_contact(mut self, label: impl Into<Text>) -> Self {
        self.keyboard = Some(Keyboard::Contact(label.into()));
        self
    }

    /// Shows keys that type what is written on them, one to a row.
    #[must_use]
    pub fn offers<T: Into<Text>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        let rows = words.into_iter().map(|word| vec![word.into()]).collect();
        self.keyboard = Some(Keyboard::Words(rows));
        self
    }

    /// Takes such keys away again.
    #[must_use]
    pub fn removes_keyboard(mut self) -> Self {
        self.keyboard = Some(Keyboard::Remove);
        self
    }

    /// Shows photos by their file id: one, or an album.
    #[must_use]
    pub fn photos<T: Into<String>>(mut self, file_ids: impl IntoIterator<Item = T>) -> Self {
        self.photos.extend(file_ids.into_iter().map(Into::into));
        self
    }

    /// Names the message, so that a later prompt can change it.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Changes the message of this name in place; where there is none, or it cannot be changed, a new one takes the name. Photos, a
    /// keyboard in the place of the person's own, and words too long for one message are always sent anew.
    #[must_use]
    pub fn in_place(mut self, name: impl Into<String>) -> Self {
        self.in_place = true;
        self.named(name)
    }

    /// Changes the message of this name under the finger that pressed one of its buttons: a list is paged or ticked in place. Asked
    /// for any other reason, or after something else was said, it is sent anew and takes the name, so that nobody has to scroll up.
    #[must_use]
    pub fn refreshes(mut self, name: impl Into<String>) -> Self {
        self.refreshes = true;
        self.named(name)
    }

    /// Answers a message.
    #[must_use]
    pub fn replies_to(mut self, message: i32) -> Self {
        self.reply_to = Some(message);
        self
    }

    /// Writes a record once it is sent; the command finds the message's id in its field `message_id`, and its
    /// chat in `message_chat`.
    ///
    /// # Panics
    /// When the command cannot be written as JSON, which plain data always can, or has no fields.
    #[must_use]
    pub fn then_record(mut self, command: impl Serialize) -> Self {
        let command = serde_json::to_value(command).expect("a record command is plain data");
        assert!(command.is_object(), "a command without fields cannot be told the message's id");
        self.then = Some(command);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "without fields")]
    fn a_command_that_cannot_be_told_an_id_is_the_flows_own_mistake() {
        let _ = say("Well?").then_record("note");
    }
}
