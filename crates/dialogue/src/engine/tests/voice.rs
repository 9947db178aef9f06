//! What is said, in which language, in which order.

use std::time::Duration;

use super::*;
use crate::prelude::*;

fn bilingual() -> Repertoire {
    let texts = Texts::default()
        .with("en", "expired = Put aside.\nnot-understood = What?\n")
        .with("ru", "expired = Отложено.\nnot-understood = Что?\n");
    with_flows(Repertoire::new(texts))
}

#[test]
fn bot_without_texts_speaks_words() {
    let bot = with_flows(Repertoire::new(Texts::default()));
    let mut chat = chat(&bot);
    chat.types("/menu").hears("What would you like to do?").presses("Signup");
    chat.types("/cancel").hears("Cancelled: Signup.").presses("🏠 Main menu");
    chat.types("/help").hears("/back – One question back");
    assert_eq!(
        bot.commands("ru", &Member::default()).last().unwrap().1,
        "Начать заново; ничего не потеряется"
    );
}

#[test]
fn the_bot_speaks_the_persons_language_or_the_first_one() {
    let bot = bilingual();
    chat(&bot).in_language("ru").types("hm").hears("Что?");
    chat(&bot).in_language("ru-RU").types("hm").hears("Что?");
    chat(&bot).in_language("de").types("hm").hears("What?");
    chat(&bot).in_language("").types("hm").hears("What?");
}

#[test]
fn timers_speak_the_language_the_person_spoke() {
    let bot = bilingual();
    let mut chat = chat(&bot).in_language("ru");
    chat.types("/signup");
    assert_eq!(chat.dialogue().lang, "ru");
    chat.waits(Duration::from_secs(601)).hears("Отложено.");
}

/// So that whoever keeps it elsewhere, for what is said without being asked, hears of it; also of somebody who has chosen another.
#[test]
fn a_turn_tells_whether_the_persons_app_speaks_another_language_by_now() {
    let mut dialogue = Dialogue::default();
    for (language, is_other) in [("en", true), ("en", false), ("ru", true), ("", false)] {
        dialogue.speaks = "de".to_owned();
        let mut turn = Turn::from("hm");
        language.clone_into(&mut turn.view.person.language);
        let played = play(&dialogue, turn).expect("a turn");
        assert_eq!(played.in_other_language, is_other, "{language}");
        dialogue = played.dialogue;
    }
    assert_eq!(dialogue.lang, "ru");
    let mut timer = scene(dialogue, Input::Timer, How::Play);
    timer.turn.view.person.language.clear();
    assert!(!bot().play(timer).expect("a turn").in_other_language);
}

#[test]
fn deeds_come_in_order_and_the_question_after_them() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30").presses("No");
    assert_eq!(said(chat.played().unwrap()), ["Once more.", "Name?"]);
    chat.types("Ann").types("30").presses("Yes");
    let effects = &chat.played().unwrap().effects;
    assert!(matches!(&effects[0], Effect::Send(message) if message.text == "Welcome!"));
    assert!(matches!(&effects[1], Effect::Record(record) if record.command["name"] == "Ann"));
    assert!(matches!(&effects[2], Effect::Send(message) if message.chat == -77));
    assert_eq!(effects.len(), 3);
}

#[test]
fn what_is_said_at_home_stays_in_its_topic() {
    let mut turn = Turn::from(command("signup"));
    turn.view.key.topic = Some(9);
    let played = play(&Dialogue::default(), turn).unwrap();
    let message = sent(&played).next().unwrap();
    assert_eq!((message.chat, message.topic), (5001, Some(9)));
}

#[test]
fn the_edges_tell_where_a_turn_went() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("/ticket");
    let edges: Vec<_> =
        chat.played().unwrap().edges.iter().map(|walked| walked.to_string()).collect();
    assert_eq!(edges, ["signup: age -> parked", "ticket: start -> trouble"]);
}

/// Tells others something, in the language for everybody or in theirs. Nobody comes to it by the menu.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Whisper {
    Never,
}

impl Flow for Whisper {
    const NAME: &'static str = "whisper";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        let told = || say("expired").link("not-understood", "ticket", "");
        turn.begins(Self::NAME).then(|| done().tell(-1, told()).tell_in("ru-RU", -2, told()))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Never?")
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(done())
    }
}

#[test]
fn others_are_told_in_their_language_or_the_first_one() {
    for language in ["en", "ru"] {
        let bot = bilingual().with::<Whisper>();
        let mut chat = chat(&bot).in_language(language);
        chat.types("/whisper");
        let played = chat.played().unwrap();
        let told: Vec<_> = sent(played)
            .map(|message| (message.chat, &*message.text, &*message.rows[0][0].0))
            .collect();
        assert_eq!(told, [(-1, "Put aside.", "What?"), (-2, "Отложено.", "Что?")]);
    }
}

#[test]
fn the_menu_leaves_out_what_is_not_for_it() {
    let links = |bot: &Repertoire| {
        let mut chat = chat(bot);
        chat.types("/menu");
        let played = chat.played().unwrap();
        sent(played).next().unwrap().rows.len()
    };
    assert_eq!(links(&bot().with::<Whisper>()), links(&bot()));
}

/// Shows a photo with as many letters as it is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Picture {
    Never,
}

impl Flow for Picture {
    const NAME: &'static str = "picture";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        let Input::Command(command) = &turn.input else {
            return None;
        };
        let letters = "я".repeat(command.arg.parse().ok()?);
        Some(done().prompt(say(letters).photos(["p1"])))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Never?")
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(done())
    }
}

/// Telegram takes a caption of 1024 letters, and refuses a longer one with its photo.
#[test]
fn a_text_too_long_for_a_caption_follows_its_photo() {
    let told = |letters: usize| -> Vec<_> {
        let bot = bot().with::<Picture>();
        let mut chat = chat(&bot);
        chat.types(&format!("/picture {letters}"));
        let messages = sent(chat.played().unwrap());
        messages.map(|message| (message.photos.len(), message.text.chars().count())).collect()
    };
    assert_eq!(told(1024), [(1, 1024)]);
    assert_eq!(told(1025), [(1, 0), (0, 1025)]);
}

/// Two questions, each of which is announced; the second may be answered by a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Announced {
    Name,
    Number,
}

impl Flow for Announced {
    const NAME: &'static str = "announced";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Name))
    }

    fn ask(&self, _: &Context) -> Prompt {
        match self {
            Self::Name => say("Name?"),
            Self::Number => say("Number?").asks_contact("Share"),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("A word, please.")?;
        Ok(goto(Self::Number).say("Thanks."))
    }

    fn arrives(&self, _: &Context) -> Vec<Deed> {
        let word = match self {
            Self::Name => "First:",
            Self::Number => "Second:",
        };
        done::<Self>().say(word).deeds
    }

    fn back(self) -> Option<Self> {
        Some(Self::Name)
    }

    fn on_error(&self) -> OnError {
        match self {
            Self::Name => OnError::Rollback,
            Self::Number => OnError::Park,
        }
    }
}

fn announced() -> Repertoire {
    with_flows(Repertoire::new(keys())).with::<Announced>()
}

#[test]
fn what_arriving_causes_comes_before_the_question_whichever_way_led_there() {
    let bot = announced();
    let mut chat = chat(&bot);
    let mut hears = |does: &str, heard: &[&str]| {
        match does.strip_prefix('‹') {
            Some(label) => chat.presses(label),
            None => chat.types(does),
        };
        assert_eq!(said(chat.played().unwrap()), heard, "{does}");
    };
    let first = ["First:", "Name?"];
    hears("/announced", &first);
    hears("/announced", &first);
    hears("Ann", &["Thanks.", "Second:", "Number?"]);
    hears("/back", &first);
    hears("/ticket", &["Trouble?"]);
    hears("/cancel", &["cancelled", "resume-offer"]);
    hears("‹resume-yes", &first);
}

#[test]
fn a_key_that_shares_a_number_is_shown_in_private_only() {
    let bot = announced();
    for is_group in [false, true] {
        let mut chat = match is_group {
            false => chat(&bot),
            true => chat(&bot).in_group(),
        };
        chat.types("/announced").types("Ann").hears("Number?");
        let asked = sent(chat.played().unwrap()).last().unwrap();
        assert_eq!(asked.keyboard.is_none(), is_group);
    }
}

#[test]
fn a_state_that_is_put_aside_when_it_fails_is_gone_on_with_later() {
    let bot = announced();
    let mut chat = chat(&bot);
    chat.types("/announced").fails().at("announced/name");
    chat.types("Ann").fails().at("idle").hears("apology-parked");
    chat.presses("resume-yes").at("announced/number");
}
