//! Small flows for the tests of the engine.

use serde_json::{Value, json};

use crate::prelude::*;

/// Three questions, the last with buttons; a reminder; a way back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Signup {
    Name,
    Age { name: String },
    Confirm { name: String, age: u8 },
}

impl Flow for Signup {
    const NAME: &'static str = "signup";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Name))
    }

    fn ask(&self, _: &Context) -> Prompt {
        match self {
            Self::Name => say("Name?"),
            Self::Age { .. } => say("Age?"),
            Self::Confirm { age, .. } => say(format!("Really {age}?"))
                .choice("Yes", "yes")
                .choice("No", "no")
                .choice("Older", "older")
                .choice("Why", "why")
                .choice("Nobody", "nobody")
                .choice("Later", "later"),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match self {
            Self::Name if turn.is_command("anonymous") => goto(Self::Age { name: "-".into() }),
            Self::Name => goto(Self::Age { name: turn.text("A name, please.")? }),
            Self::Age { name } => {
                goto(Self::Confirm { name, age: turn.parse("A number, please.")? })
            }
            Self::Confirm { name, age } => match turn.choice("Press a button.")? {
                "yes" => done()
                    .say("Welcome!")
                    .record(json!({ "name": name }))
                    .tell(-77, say("Somebody came.").link("Look", "ticket", "7")),
                "no" => goto(Self::Name).say("Once more."),
                "older" => keep(Self::Confirm { name, age: age + 1 }),
                "why" => open(Self::Confirm { name, age }, "ticket", "why").say("One moment."),
                "nobody" => open(Self::Confirm { name, age }, "nobody", ""),
                "later" => park(Self::Confirm { name, age }),
                _ => return Err(hint("Not that button.")),
            },
        })
    }

    fn back(self) -> Option<Self> {
        match self {
            Self::Name => None,
            Self::Age { .. } => Some(Self::Name),
            Self::Confirm { name, .. } => Some(Self::Age { name }),
        }
    }

    fn ttl(&self) -> Duration {
        Duration::from_secs(600)
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        match self {
            Self::Confirm { .. } => {
                Some((Duration::from_secs(300), say("Still there?").choice("Yes!", "yes")))
            }
            _ => None,
        }
    }

    fn data_ttl(&self) -> Option<Duration> {
        match self {
            Self::Confirm { .. } => Some(Duration::from_secs(3600)),
            _ => None,
        }
    }
}

/// One question. Opens by its command, by a link, and by a photo. `/ping` is over at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Ticket {
    Trouble { about: String },
}

impl Flow for Ticket {
    const NAME: &'static str = "ticket";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Link(about) if about == "closed" => None,
            Input::Link(about) => Some(goto(Self::Trouble { about: about.clone() })),
            Input::Photo(photo) if photo.album.is_some() && photo.album == turn.last_album => {
                Some(done())
            }
            Input::Photo(_) => Some(goto(Self::Trouble { about: "photo".into() })),
            Input::Command(command) if command.name == "ping" => Some(done().say("Pong.")),
            Input::Command(command) if command.name == "start" && command.arg == "promo" => {
                Some(done().say("A gift!"))
            }
            _ => turn.begins(Self::NAME).then(|| goto(Self::Trouble { about: String::new() })),
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Trouble?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("Words, please.")?;
        Ok(done().say("Noted."))
    }
}

/// Waits for a moment, then asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Gather {
    Parts { count: usize },
    Title { count: usize },
}

impl Flow for Gather {
    const NAME: &'static str = "gather";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        (turn.is_command("gather")).then(|| keep(Self::Parts { count: 0 }))
    }

    fn ask(&self, _: &Context) -> Prompt {
        match self {
            Self::Parts { .. } => say("Parts?"),
            Self::Title { .. } => say("Title?"),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("Words, please.")?;
        Ok(match self {
            Self::Parts { count } => keep(Self::Parts { count: count + 1 }),
            Self::Title { .. } => done().say("Gathered."),
        })
    }

    fn pause(&self) -> Option<Duration> {
        match self {
            Self::Parts { .. } => Some(Duration::from_millis(1500)),
            Self::Title { .. } => None,
        }
    }

    fn resume(self, _: &Context) -> Step<Self> {
        match self {
            Self::Parts { count } => goto(Self::Title { count }),
            Self::Title { .. } => keep(self),
        }
    }
}

/// In its second schema: `title` was called `name` before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Form {
    Text { title: String },
}

impl Flow for Form {
    const NAME: &'static str = "form";
    const SCHEMA: u32 = 2;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Text { title: "new".into() }))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Text?").choice("Skip", "skip")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        let Self::Text { title } = self;
        if turn.choice("").is_err() {
            turn.text("Words, please.")?;
        }
        Ok(done().say(format!("Filed: {title}")))
    }

    fn migrate(schema: u32, mut state: Value) -> Option<Value> {
        assert_eq!(schema, 1);
        let title = state.as_object_mut()?.remove("name")?;
        state["title"] = title;
        Some(state)
    }
}

/// Ends when nobody answers, and when something fails. Some words are fatal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Fleeting {
    Word,
}

impl Flow for Fleeting {
    const NAME: &'static str = "fleeting";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Word))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Word?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("Words, please.")?;
        Ok(goto(self))
    }

    fn expire(self, _: &Context) -> Step<Self> {
        done().say("Too late.")
    }

    fn on_error(&self) -> OnError {
        OnError::Clear
    }
}

/// Reads its wares, then one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Shop {
    Pick,
    Ware { id: u32 },
}

impl Flow for Shop {
    const NAME: &'static str = "shop";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        let open = turn.is_command("shop") && turn.read("is-open");
        open.then(|| goto(Self::Pick))
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        if turn.is_command("shop") { vec![read("is-open", "")] } else { Vec::new() }
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Pick => vec![read("wares", "")],
            Self::Ware { id } => vec![read("ware", id.to_string())],
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        match self {
            Self::Pick => say(format!("{} wares", view.read::<usize>("wares"))),
            Self::Ware { id } => say(format!("{id} is {}", view.read::<String>("ware"))),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        let id = turn.parse("A number, please.")?;
        Ok(goto(Self::Ware { id }))
    }
}

/// Has a state with the name that the diagram gives to beginnings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Legacy {
    Start,
}

impl Flow for Legacy {
    const NAME: &'static str = "legacy";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Start))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Ready?")
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(done())
    }
}

/// Opens the next one, which opens this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Circle {
    Left,
}

impl Flow for Circle {
    const NAME: &'static str = "circle";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| open(Self::Left, "round", ""))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Left?")
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(done())
    }
}

/// The other half of the circle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Round {
    Right,
}

impl Flow for Round {
    const NAME: &'static str = "round";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| open(Self::Right, "circle", ""))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Right?")
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(done())
    }
}

/// Many flows in one, to have enough to put aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(super) enum Errand<const N: usize> {
    Where,
}

impl<const N: usize> Flow for Errand<N> {
    const NAME: &'static str = ["milk", "bread", "eggs"][N];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Where))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Where?")
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(done().say("Got it."))
    }
}
