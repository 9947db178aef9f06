//! What the engine promises, topic by topic, on small flows of its own.
//!
//! The texts of the bot are their own keys, so a test names what is said and not how.

mod buttons;
mod chatter;
mod clock;
mod commands;
mod drafts;
mod failures;
mod flows;
mod histories;
mod members;
mod reads;
mod schema;
mod stays;
mod voice;

use flows::{Errand, Fleeting, Form, Gather, Legacy, Shop, Signup, Ticket};

use super::{Halt, How, Played, Scene};
use crate::Millis;
use crate::{Dialogue, Effect, Input, Message, Repertoire, TestChat, Texts, Turn, Waits};

/// When the scenes of these tests happen.
const NOON: Millis = 1_760_000_000_000;

/// A bot of small flows that says its keys.
fn bot() -> Repertoire {
    with_flows(Repertoire::new(keys()))
}

/// A text for each key of the engine: the key itself.
fn keys() -> Texts {
    let keys = include_str!("../../i18n/en.ftl").lines().filter_map(|line| line.split_once(" ="));
    let keys = keys.filter(|(key, _)| key.starts_with(|c: char| c.is_ascii_lowercase()));
    let keys: String = keys.map(|(key, _)| format!("{key} = {key}\n")).collect();
    Texts::default().with("en", &keys)
}

fn with_flows(bot: Repertoire) -> Repertoire {
    bot.with::<Signup>()
        .with::<Ticket>()
        .with::<Gather>()
        .with::<Form>()
        .with::<Fleeting>()
        .with::<Shop>()
        .with::<Legacy>()
        .with::<Errand<0>>()
        .with::<Errand<1>>()
        .with::<Errand<2>>()
}

/// A chat with this bot.
fn chat(bot: &Repertoire) -> TestChat<'_> {
    TestChat::sketch(bot)
}

/// What a build has kept of a dialogue in this state, which expires at [`NOON`].
fn waiting(flow: &str, schema: u32, state: &str) -> Dialogue {
    let body = format!(
        r#"{{"v":1,"live":{{"flow":"{flow}","schema":{schema},"state":{state},"nonce":"oldone","since":1,"active":1,"due":{{"at":{NOON},"to":"expire"}}}}}}"#
    );
    Dialogue::read(Some(body.as_bytes())).unwrap()
}

/// This is done in a dialogue, at [`NOON`].
fn scene(dialogue: Dialogue, turn: impl Into<Turn>, how: How) -> Scene {
    let turn = turn.into();
    Scene { dialogue, turn, how }
}

fn play(dialogue: &Dialogue, turn: impl Into<Turn>) -> Result<Played, Halt> {
    bot().play(scene(dialogue.clone(), turn, How::Play))
}

/// A command without its slash.
fn command(name: &str) -> Input {
    let (command, _) = crate::Command::parse(&format!("/{name}")).unwrap();
    Input::Command(command)
}

/// Everything that was said.
fn said(played: &Played) -> Vec<&str> {
    sent(played).map(|message| message.text.as_str()).collect()
}

fn sent(played: &Played) -> impl Iterator<Item = &Message> {
    played.effects.iter().filter_map(|effect| match effect {
        Effect::Send(message) => Some(&**message),
        Effect::Delete { .. } | Effect::Typing { .. } | Effect::Record(_) => None,
    })
}

/// The drafts, oldest first.
fn drafts(dialogue: &Dialogue) -> Vec<&str> {
    let drafts = dialogue.parked.iter();
    drafts.map(|draft| draft.flow.as_str()).collect()
}

/// Where the dialogue is, or `idle`.
fn at(dialogue: &Dialogue) -> String {
    let live = dialogue.live.as_ref();
    live.map_or("idle".to_owned(), |live| format!("{}/{}", live.flow, live.state.at()))
}

/// The bot with these waits.
fn waits(waits: Waits) -> Repertoire {
    bot().waits(waits)
}
