//! A directory keeps the chats across restarts.

use serde_json::json;
use steadfast::emulator::{Sending, State};
use tempfile::TempDir;

use super::receiver::Receiver;
use super::stage::{DOT, Stage, dot};
use crate::support::patience::until;

#[tokio::test]
async fn chats_people_files_and_waiting_updates_come_back() {
    let directory = TempDir::new().expect("a directory");
    let mut receiver = Receiver::start().await;
    let (anna, update, file) = {
        let stage = Stage::kept(directory.path()).await;
        let anna = stage.anna();
        stage.hook(&receiver, json!({})).await;
        stage.ask(anna, "Yes", "y").await;
        let photo = Sending { from: anna, photo: Some(json!(DOT)), ..Sending::default() };
        let update = stage.emulator.send(&photo).expect("a photo").updates[0].expect("an update");
        let _visit = receiver.next().await;
        let file = stage.emulator.messages(anna)[1].content.photo[0].file_id.clone();
        stage.emulator.save().expect("it is written down");
        (anna, update, file)
    };
    let stage = Stage::kept(directory.path()).await;
    let said = stage.emulator.messages(anna);
    assert_eq!((said.len(), said[0].content.words()), (2, "Well?"));
    let visit = receiver.next().await;
    assert_eq!(visit.id(), update, "what was in flight is sent again");
    visit.answer(200);
    stage.became(update, State::Acknowledged).await;
    assert_eq!(stage.get(&format!("files/{file}")).await.body, dot());
    // What was given before a crash, and not written down, is not given again.
    let sent = stage.emulator.send(&Sending::text(anna, "next"));
    let sent = sent.expect("a message");
    assert!(sent.updates[0] > Some(update + 100), "{sent:?}");
    assert!(sent.messages[0] > said[1].message_id + 100, "{sent:?}");
    stage.press(anna, "Yes");
}

#[tokio::test]
async fn changes_are_written_down_without_being_asked_to() {
    let directory = TempDir::new().expect("a directory");
    let stage = Stage::kept(directory.path()).await;
    let anna = stage.anna();
    stage.say(anna, "to be kept");
    let path = directory.path().join("emulator.json");
    until("it is written down", async || {
        let text = std::fs::read_to_string(&path).ok()?;
        text.contains("to be kept").then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_read_is_not_overwritten() {
    let directory = TempDir::new().expect("a directory");
    std::fs::write(directory.path().join("emulator.json"), "oops").expect("a file");
    let options = steadfast::emulator::Options {
        data: Some(directory.path().to_owned()),
        ..Default::default()
    };
    let refused = steadfast::emulator::Emulator::open(options).expect_err("it is refused");
    assert!(refused.to_string().contains("emulator.json"), "{refused}");
}

/// Whoever writes at the same time as another has it written down whole.
#[tokio::test(flavor = "multi_thread")]
async fn several_can_write_down_at_once() {
    let directory = TempDir::new().expect("a directory");
    let stage = Stage::kept(directory.path()).await;
    stage.say(stage.anna(), "to be kept");
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let emulator = stage.emulator.clone();
        writers.spawn_blocking(move || (0..20).try_for_each(|_| emulator.save()));
    }
    for written in writers.join_all().await {
        written.expect("it is written down");
    }
}

#[tokio::test]
async fn what_could_not_be_written_is_written_later() {
    let directory = TempDir::new().expect("a directory");
    let stage = Stage::kept(directory.path()).await;
    let (state, next) =
        ["json", "new"].map(|it| directory.path().join(format!("emulator.{it}"))).into();
    std::fs::create_dir(&next).expect("something is in the way");
    stage.say(stage.anna(), "to be kept");
    until("it cannot be written down", async || stage.emulator.save().err()).await;
    // Each try begins another journal, also those that nobody asked for.
    let before = journals(directory.path());
    until("it is tried without being asked to", async || {
        (journals(directory.path()) > before).then_some(())
    })
    .await;
    std::fs::remove_dir(&next).expect("it is away");
    until("it is written down", async || {
        let text = std::fs::read_to_string(&state).ok()?;
        text.contains("to be kept").then_some(())
    })
    .await;
}

/// As after a kill -9: nothing was asked to be written down, and nobody said goodbye.
#[tokio::test]
async fn what_was_answered_is_there_whoever_was_killed() {
    let directory = TempDir::new().expect("a directory");
    let killed = TempDir::new().expect("another");
    let receiver = Receiver::start().await;
    let stage = Stage::kept(directory.path()).await;
    let anna = stage.anna();
    stage.hook(&receiver, json!({})).await;
    let question = stage.ask(anna, "Yes", "y").await;
    let (press, query) = stage.press(anna, "Yes");
    stage.done("answerCallbackQuery", json!({ "callback_query_id": query })).await;
    let photo = Sending { from: anna, photo: Some(json!(DOT)), ..Sending::default() };
    stage.emulator.send(&photo).expect("a photo");
    stage.emulator.forget(anna, question);
    stage.post("clock", json!({ "advance": "1h" })).await;
    let (said, now) = (stage.emulator.messages(anna), stage.emulator.now());
    copy(directory.path(), killed.path());
    let again = Stage::kept(killed.path()).await;
    assert_eq!(again.emulator.messages(anna), said);
    let url = |stage: &Stage| stage.emulator.webhook().map(|it| it.url);
    assert_eq!(url(&again), url(&stage));
    assert_eq!(again.emulator.now(), now);
    assert!(again.emulator.update(press).is_some());
    let answered = again.get(&format!("callbacks/{query}")).await.json();
    assert_eq!(answered["answered"], true);
    let file = &said[0].content.photo[0].file_id;
    assert_eq!(again.get(&format!("files/{file}")).await.body, dot());
}

#[tokio::test]
async fn what_was_reset_stays_so_whoever_was_killed() {
    let directory = TempDir::new().expect("a directory");
    let killed = TempDir::new().expect("another");
    let stage = Stage::kept(directory.path()).await;
    let anna = stage.anna();
    stage.say(anna, "before");
    stage.emulator.reset(false);
    stage.say(anna, "after");
    copy(directory.path(), killed.path());
    let again = Stage::kept(killed.path()).await;
    let said = again.emulator.messages(anna);
    let words: Vec<_> = said.iter().map(|it| it.content.words()).collect();
    assert_eq!((words, again.emulator.pending()), (vec!["after"], 1));
}

/// What a bot remembers by chat and message is of one message for ever.
#[tokio::test]
async fn no_number_of_a_message_is_given_twice_after_a_reset_whoever_was_killed() {
    let directory = TempDir::new().expect("a directory");
    let killed = TempDir::new().expect("another");
    let stage = Stage::kept(directory.path()).await;
    let anna = stage.anna();
    let last = |stage: &Stage| {
        let said = stage.emulator.messages(anna);
        said.last().expect("a message").message_id
    };
    stage.say(anna, "before");
    let before = last(&stage);
    stage.emulator.reset(false);
    copy(directory.path(), killed.path());
    stage.say(anna, "after");
    assert!(last(&stage) > before);
    let again = Stage::kept(killed.path()).await;
    again.say(anna, "after the kill");
    assert!(last(&again) > before);
}

fn journals(directory: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("journal.")).count()
}

/// The directory as it is at this moment.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to.join("files")).expect("a directory");
    for place in ["", "files"] {
        for entry in std::fs::read_dir(from.join(place)).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let name = path.file_name().expect("a name");
                std::fs::copy(&path, to.join(place).join(name)).expect("a copy");
            }
        }
    }
}
