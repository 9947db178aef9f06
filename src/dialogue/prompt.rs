//! What the bot says, with the buttons under it.

use super::text::Text;

/// Something the bot says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// The words.
    pub text: Text,
    /// Rows of buttons under it.
    pub rows: Vec<Vec<Button>>,
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
    Prompt {
        text: text.into(),
        rows: Vec::new(),
    }
}

/// A button that answers the prompt.
pub fn choice(label: impl Into<Text>, value: impl Into<String>) -> Button {
    Button {
        label: label.into(),
        action: Action::Choice(value.into()),
    }
}

/// A button that opens a flow.
pub fn link(label: impl Into<Text>, flow: impl Into<String>, arg: impl Into<String>) -> Button {
    Button {
        label: label.into(),
        action: Action::Link {
            flow: flow.into(),
            arg: arg.into(),
        },
    }
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
}
