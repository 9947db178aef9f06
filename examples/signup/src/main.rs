//! Signs people up for a course: a name, an age, a confirmation. It has no database.

use steadfast::prelude::*;

/// May set the topic of the next lesson. `TEACHER_IDS` names the teachers.
const TEACHER: Role = Role::new("teacher");

/// The questions of a sign-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Signup {
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
            Self::Name => say("What is your name?"),
            Self::Age { name } => say(format!("How old are you, {name}?")),
            Self::Confirm { name, age } => say(format!("{name}, {age}: is that right?"))
                .row([choice("Yes", "yes"), choice("No", "no")]),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match self {
            Self::Name => goto(Self::Age { name: turn.text("Please type your name.")? }),
            Self::Age { name } => {
                goto(Self::Confirm { name, age: turn.parse("A number, please.")? })
            }
            Self::Confirm { name, .. } => match turn.choice("Please press a button.")? {
                "yes" => done().say(format!("Welcome, {name}!")),
                _ => goto(Self::Name),
            },
        })
    }
}

/// Lets a teacher set the topic of the next lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Lesson {
    Topic,
}

impl Flow for Lesson {
    const NAME: &'static str = "lesson";
    const ROLES: &'static [Role] = &[TEACHER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Topic))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("What is the lesson about?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        let topic = turn.text("A few words, please.")?;
        Ok(done().say(format!("The next lesson is about {topic}.")))
    }
}

/// Returns the bot.
fn bot() -> Bot {
    steadfast::bot!().roles(&[TEACHER]).flow::<Signup>().flow::<Lesson>()
}

fn main() -> std::process::ExitCode {
    bot().main()
}

#[test]
fn bot_has_no_faults() {
    assert_eq!(bot().check(), Ok(()));
}

#[test]
fn user_signs_up() {
    let mut chat = TestChat::of::<Signup>();
    chat.types("/signup").hears("What is your name?");
    chat.types("Ann").hears("How old are you, Ann?");
    chat.types("old").at("signup/age").hears("A number, please.");
    chat.types("30").presses("No").at("signup/name");
    chat.types("Bob").types("31").presses("Yes").at("idle").hears("Welcome, Bob!");
}

#[test]
fn lesson_is_for_teachers() {
    let mut chat = TestChat::of::<Lesson>();
    chat.types("/lesson").at("idle");
    chat.is([TEACHER]).types("/lesson").types("Verbs").hears("about Verbs");
}
