//! Who may begin what, the way to the menu, and the language that somebody chose.

use super::*;
use crate::prelude::*;

const TEACHER: Role = Role::new("teacher");
const PUPIL: Role = Role::new("pupil");

/// A list that only teachers see; it is leafed through in place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Orders {
    List { page: usize },
}

impl Flow for Orders {
    const NAME: &'static str = "orders";
    const ROLES: &'static [Role] = &[TEACHER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::List { page: 0 }))
    }

    fn ask(&self, _: &Context) -> Prompt {
        let Self::List { page } = self;
        let orders: Vec<usize> = (0..20).collect();
        let order = |n: &usize| choice(format!("no. {n}"), n.to_string());
        say("orders-list").refreshes("orders").page(&orders, *page, order)
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Some(page) = turn.page() {
            return Ok(goto(Self::List { page }));
        }
        Ok(match turn.text("press")?.as_str() {
            "again" => goto(self),
            language => done().speak(language.to_owned()).say("bye"),
        })
    }
}

/// A record that only teachers may read, time and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Wages {
    Shown,
}

impl Flow for Wages {
    const NAME: &'static str = "wages";
    const ROLES: &'static [Role] = &[TEACHER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Shown))
    }

    fn reads(&self) -> Vec<Read> {
        vec![read("wage", "")]
    }

    fn ask(&self, view: &Context) -> Prompt {
        say(view.read::<String>("wage"))
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        Ok(goto(self))
    }

    fn back(self) -> Option<Self> {
        Some(self)
    }

    fn remind(&self, view: &Context) -> Option<(Duration, Prompt)> {
        Some((Duration::from_secs(60), self.ask(view)))
    }
}

fn company() -> Repertoire {
    let texts = keys()
        .with("en", "menu = Menu\nhome = Home\nbye = Bye\nstranger = Who are you?\nnot-allowed = Not you.\npage = x\n")
        .with("ru", "menu = Меню\nhome = Домой\nbye = Пока\n");
    with_flows(Repertoire::new(texts)).with::<Orders>().with::<Wages>()
}

fn buttons(chat: &TestChat<'_>) -> Vec<String> {
    let played = chat.played().expect("a turn");
    let rows = sent(played).flat_map(|message| &message.rows).flatten();
    rows.map(|(label, _)| label.clone()).collect()
}

#[test]
fn the_menu_shows_what_the_role_allows() {
    let bot = company();
    let mut chat = chat(&bot);
    chat.is([TEACHER]).types("/menu").hears("Menu");
    assert!(buttons(&chat).contains(&"Orders".to_owned()));
    chat.is([PUPIL]).types("/menu").hears("Menu");
    assert!(!buttons(&chat).contains(&"Orders".to_owned()));
}

#[test]
fn a_stranger_is_told_what_to_do_and_shown_what_is_for_everybody() {
    let bot = company();
    let mut chat = chat(&bot);
    chat.types("/start").hears("Who are you?");
    assert!(buttons(&chat).contains(&"Signup".to_owned()));
    assert!(!buttons(&chat).contains(&"Orders".to_owned()));
    chat.types("/orders").at("idle").hears("Who are you?");
}

#[test]
fn neither_a_command_nor_a_forged_link_opens_what_is_for_others() {
    let bot = company();
    let mut chat = chat(&bot);
    chat.is([PUPIL]).types("/orders").at("idle").hears("Not you.");
    chat.does(Input::Press("lorders.".to_owned())).at("idle").hears("Not you.");
    chat.is([TEACHER]).does(Input::Press("lorders.".to_owned()));
    chat.at("orders/list");
}

#[test]
fn who_begins_what_is_for_everybody_is_not_looked_up() {
    let played = company().play(scene(Dialogue::default(), command("signup"), How::Play));
    assert!(played.is_ok(), "{played:?}");
    let halted = company().play(scene(Dialogue::default(), command("orders"), How::Play));
    let wish = read(Member::READ, "");
    assert_eq!(halted.unwrap_err(), Halt::Needs(vec![wish]));
}

#[test]
fn without_the_records_the_menu_has_what_is_for_everybody() {
    for name in ["menu", "start"] {
        let scene = scene(Dialogue::default(), command(name), How::WithoutReads);
        let played = company().play(scene).expect("nothing is read");
        let rows = sent(&played).flat_map(|message| message.rows.iter().flatten());
        let labels: Vec<_> = rows.map(|(label, _)| label.as_str()).collect();
        assert!(labels.contains(&"Signup") && !labels.contains(&"Orders"));
    }
}

#[test]
fn the_last_words_of_a_flow_lead_to_the_menu() {
    let bot = company();
    let mut chat = chat(&bot);
    chat.is([TEACHER]).types("/orders").types("en").at("idle").hears("Bye");
    assert_eq!(buttons(&chat), ["Home"]);
    chat.presses("Home").hears("Menu");
}

#[test]
fn who_ends_a_flow_half_way_is_led_to_the_menu_too() {
    let bot = company();
    let mut chat = chat(&bot);
    chat.is([TEACHER]).types("/orders").types("/cancel");
    assert_eq!(buttons(&chat), ["Home"]);
}

#[test]
fn every_other_end_leads_to_the_menu_too() {
    let bot = company();
    let mut dropped = chat(&bot);
    dropped.types("/signup").types("/start");
    dropped.presses("resume-no").hears("dropped");
    assert_eq!(buttons(&dropped), ["Home"]);
    let mut barred = paid(&bot);
    barred.is([PUPIL]).types("again").hears("Not you.");
    assert_eq!(buttons(&barred), ["Home"]);
    let mut refused = chat(&bot);
    refused.does(Input::Refused(crate::Refusal {
        flow: "signup".to_owned(),
        reason: "taken".to_owned(),
        command: serde_json::Value::Null,
    }));
    refused.hears("refused");
    assert_eq!(buttons(&refused), ["Home"]);
    let mut freed = chat(&bot);
    freed.types("/signup").does(Input::Reset).hears("reset");
    assert_eq!(buttons(&freed), ["Home"]);
}

#[test]
fn in_a_group_nobody_is_led_to_the_menu() {
    let bot = company();
    let mut chat = chat(&bot).in_group();
    chat.is([TEACHER]).types("/orders").types("en").hears("Bye");
    assert_eq!(buttons(&chat), Vec::<String>::new());
}

#[test]
fn a_language_that_was_chosen_is_spoken_from_the_next_word_on() {
    let bot = company();
    let mut chat = chat(&bot);
    chat.is([TEACHER]).types("/orders").types("ru").hears("Пока");
    chat.types("/menu").hears("Меню");
}

#[test]
fn a_language_that_was_chosen_is_known_from_the_records_when_the_dialogue_is_gone() {
    let bot = company();
    let mut chat = chat(&bot);
    let language = Some("ru".to_owned());
    let member = Member { language, ..Member::with([TEACHER]) };
    chat.knows(read(Member::READ, ""), member);
    chat.types("/menu").hears("Меню");
    assert_eq!(chat.dialogue().speaks, "ru");
}

#[test]
fn a_list_is_leafed_through_in_place_and_asked_for_anew_below() {
    let bot = company();
    let mut chat = chat(&bot);
    let in_place = |chat: &TestChat<'_>| {
        let played = chat.played().expect("a turn");
        sent(played).next().expect("a message").in_place
    };
    chat.is([TEACHER]).types("/orders");
    assert!(!in_place(&chat));
    chat.presses("page-after").at("orders/list");
    assert!(in_place(&chat));
    assert!(buttons(&chat).contains(&"no. 6".to_owned()));
    chat.types("again");
    assert!(!in_place(&chat));
}

/// A teacher who reads what only teachers may.
fn paid(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = chat(bot);
    chat.is([TEACHER]).knows(read("wage", ""), "100");
    chat.types("/wages").at("wages/shown").hears("100");
    chat
}

#[test]
fn whose_role_is_taken_away_meanwhile_reads_no_further() {
    let bot = company();
    let refusal = Input::Refused(crate::Refusal {
        flow: "wages".to_owned(),
        reason: "taken".to_owned(),
        command: serde_json::Value::Null,
    });
    let again = Input::Text("again".to_owned());
    for input in [again, command("back"), command("wages"), refusal] {
        let mut chat = paid(&bot);
        chat.is([PUPIL]).does(input);
        assert_eq!(said(chat.played().expect("a turn")), ["Not you."]);
    }
    let mut chat = paid(&bot);
    chat.types("again").hears("100");
    chat.is([]).types("again").at("idle").hears("Who are you?");
}

#[test]
fn whose_role_is_taken_away_is_reminded_of_nothing() {
    let bot = company();
    let mut chat = paid(&bot);
    chat.is([PUPIL]).waits(Duration::from_secs(61));
    chat.at("idle").hears_nothing();
}

#[test]
fn who_answers_a_state_that_reads_nothing_is_not_looked_up() {
    let live = waiting("orders", 1, r#"{"at":"list","page":0}"#);
    let played = company().play(scene(live.clone(), "again", How::Play));
    assert_eq!(said(&played.expect("nothing is read")), ["orders-list"]);
    let live = waiting("wages", 1, r#"{"at":"shown"}"#);
    let halted = company().play(scene(live, "again", How::Play));
    let wishes = vec![read("wage", ""), read(Member::READ, "")];
    assert_eq!(halted.unwrap_err(), Halt::Needs(wishes));
}
