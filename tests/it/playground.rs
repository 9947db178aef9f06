//! The playground as those who try it see it: the real binary, over HTTP.

use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use hyper::Method;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::timeout;

use crate::support::http;
use crate::support::patience::{LONG, until};
use crate::support::playing::{ANN, ANNS, Playing, gone, run};
use crate::support::server::{outcome, program};

fn place() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

#[tokio::test]
async fn it_says_where_it_is_and_the_bot_answers_over_a_real_webhook() {
    let place = place();
    let playing = Playing::start(place.path());
    assert!(playing.line.starts_with("The playground is ready"));
    let page = http::get(playing.address, "/").await.expect("the page");
    assert!(page.is_success() && page.body.contains("<html"));
    playing.say("/start").await;
    playing.hears("What would you like to do?").await;
    let state = playing.get("/emulator/state").await;
    let url = state["webhook"]["url"].as_str().expect("a webhook");
    let own = format!("http://{}", playing.address);
    assert!(url.starts_with("http://127.0.0.1:") && !url.starts_with(&own), "{url}");
    let people = state["people"].as_array().expect("people");
    for (key, value) in [("role", "owner"), ("role", "master"), ("language_code", "ru")] {
        assert!(people.iter().any(|person| person[key] == value), "{value}");
    }
    assert_eq!(state["groups"].as_array().map(Vec::len), Some(1));
}

/// Also while it is used, and when it ends; nor is there a word on the other stream.
#[tokio::test]
async fn it_says_one_line_with_its_address_and_no_other() {
    let place = place();
    let (out, err) = (place.path().join("out"), place.path().join("err"));
    let file = |path: &Path| fs::File::create(path).expect("a file");
    let mut playground = Command::new(program())
        .args(["playground", "--listen", "127.0.0.1:0", "--data", "kept"])
        .current_dir(place.path())
        .env_clear()
        .stdin(Stdio::null())
        .stdout(file(&out))
        .stderr(file(&err))
        .kill_on_drop(true)
        .spawn()
        .expect("a playground");
    let read = |path: &Path| fs::read_to_string(path).expect("its words");
    let address: SocketAddr = until("it says its address", async || {
        let said = read(&out);
        let (_, rest) = said.split_once("http://")?;
        rest.split_once('/')?.0.parse().ok()
    })
    .await;
    let start = json!({ "from": ANN, "text": "/start" }).to_string();
    let sent = http::post(address, "/emulator/messages", &[], start).await;
    assert!(sent.expect("an answer").is_success());
    until("the bot answers", async || {
        let chat = http::get(address, &format!("/emulator/chats/{ANN}")).await;
        let is_told = chat.ok()?.body.contains("What would you like to do?");
        is_told.then_some(())
    })
    .await;
    let pid = i32::try_from(playground.id().expect("it runs")).expect("a process id");
    kill(Pid::from_raw(pid), Signal::SIGINT).expect("it can be signalled");
    let ended = timeout(LONG, playground.wait()).await.expect("its end");
    assert!(ended.expect("its end").success());
    let said = read(&out);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(read(&err), "");
}

#[tokio::test]
async fn a_killed_bot_comes_back_and_the_dialogue_goes_on() {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    // The last lines of a log die with whoever is killed before they are written.
    let asked = playing.dialogue("it is asked", |seen| !steps(seen).is_empty());
    asked.await;
    let first = playing.bot(1).await;
    assert_eq!((&first["kills"], &first["store"]), (&json!(0), &json!("embedded")));
    let killed = playing.post("/playground/kill", &json!({})).await;
    assert_eq!((&killed["kills"], &killed["ready"]), (&json!(1), &json!(true)));
    assert_ne!(killed["pid"], first["pid"], "the answer tells of the next");
    assert_eq!(killed["ended"], "signal: 9 (SIGKILL)", "and of this one's end");
    gone(first["pid"].as_u64().expect("a process")).await;
    let second = playing.bot(2).await;
    assert!(second["pid"] != first["pid"] && second["running"] == true);
    let photo = json!({ "from": ANN, "photo": true });
    playing.post("/emulator/messages", &photo).await;
    playing.hears("What shall the caption be?").await;
    let seen = playing
        .dialogue("it goes on", |seen| seen["live"]["state"] == "caption" && steps(seen).len() > 1);
    let seen = seen.await;
    assert_eq!(steps(&seen), [("start", "shot"), ("shot", "caption")]);
}

#[tokio::test]
async fn a_bot_whose_directory_is_gone_is_told_of_with_the_directory() {
    let place = place();
    let data = place.path().join("data");
    let playing = Playing::start(&data);
    let pid = playing.bot(1).await["pid"].as_i64().expect("a process");
    fs::rename(&data, place.path().join("moved")).expect("it is ours");
    let pid = i32::try_from(pid).expect("a process id");
    kill(Pid::from_raw(pid), Signal::SIGKILL).expect("it can be signalled");
    let data = data.display().to_string();
    until("it is said where the bot cannot start", async || {
        let bot = playing.get("/playground/bot").await;
        let trouble = bot["trouble"].as_str().unwrap_or_default();
        trouble.contains(&data).then_some(())
    })
    .await;
}

/// Whoever kills the playground itself at once has what was said last in the chat, as the bot has it.
#[tokio::test]
async fn a_killed_playground_has_forgotten_nothing_that_was_said() {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    playing.say("The very last words").await;
    playing.kill();
    let playing = Playing::start(place.path());
    let chat = playing.get(&format!("/emulator/chats/{ANN}")).await;
    let said = chat["messages"].as_array().expect("messages").iter();
    let said: Vec<_> = said.filter(|it| it["by"] == "person").collect();
    assert_eq!(said.last().expect("a message")["text"], "The very last words");
}

#[tokio::test]
async fn a_role_is_known_to_the_bot_when_the_page_is_answered() {
    let place = place();
    let playing = Playing::start(place.path());
    // The log may be a moment behind.
    let roles = async |user: i64| {
        until("the bot tells of roles", async || {
            let log = fs::read_to_string(place.path().join("bot.log")).ok()?;
            let lines = log.lines().rev();
            let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let ops = lines.find_map(|line| line["ops"].as_str()?.parse().ok())?;
            let answer = http::get(ops, &format!("/roles?user={user}")).await;
            Some(answer.ok()?.json()["people"][0]["roles"].take())
        })
        .await
    };
    assert_eq!(roles(5005).await, json!(["owner"]), "from the start");
    assert_eq!(roles(ANN).await, json!(["dispatcher"]));
    let path = format!("/emulator/people/{ANN}");
    for (role, expected) in [("Master", json!(["master"])), ("", json!([]))] {
        let body = json!({ "role": role }).to_string();
        let changed = http::exchange(playing.address, Method::PATCH, &path, &[], body.into());
        assert!(changed.await.expect("an answer").is_success());
        assert_eq!(roles(ANN).await, expected);
    }
    let added = json!({ "name": "Clara", "role": "dispatcher" });
    let clara = playing.post("/emulator/people", &added).await["id"].as_i64();
    let clara = clara.expect("a person");
    assert_eq!(roles(clara).await, json!(["dispatcher"]));
    playing.post("/playground/kill", &json!({})).await;
    assert_eq!(roles(clara).await, json!(["dispatcher"]), "also after a kill");
}

/// The role that somebody is seen to play, once it is this one.
async fn plays(playing: &Playing, person: i64, role: &str) {
    until(format!("{person} plays `{role}`"), async || {
        let state = playing.get("/emulator/state").await;
        let mut people = state["people"].as_array()?.iter();
        let person = people.find(|it| it["id"] == person)?;
        (person["role"].as_str().unwrap_or_default() == role).then_some(())
    })
    .await;
}

/// What the bot has said last in somebody's chat, once it has these words.
async fn told(playing: &Playing, person: i64, words: &str) -> String {
    until(format!("{person} hears `{words}`"), async || {
        let chat = playing.get(&format!("/emulator/chats/{person}")).await;
        let last = chat["messages"].as_array()?.last()?["text"].as_str()?;
        last.contains(words).then(|| last.to_owned())
    })
    .await
}

/// The page did not give it, and does not take it: not when the bot starts again, nor with a change of somebody.
#[tokio::test]
async fn a_role_by_invitation_is_seen_and_stays() {
    let place = place();
    let playing = Playing::start(place.path());
    let person = async |of: Value| {
        let made = playing.post("/emulator/people", &of).await;
        made["id"].as_i64().expect("a person")
    };
    let owner = person(json!({ "name": "Omar", "role": "owner" })).await;
    let kim = person(json!({ "name": "Kim" })).await;
    let say = async |from: i64, text: &str| {
        let message = json!({ "from": from, "text": text });
        playing.post("/emulator/messages", &message).await;
    };
    say(owner, "/invite").await;
    told(&playing, owner, "What shall the newcomer be?").await;
    let worker = json!({ "from": owner, "label": "Worker" });
    playing.post("/emulator/press", &worker).await;
    let link = told(&playing, owner, "?start=").await;
    let (_, code) = link.split_once("?start=").expect("a link");
    say(kim, &format!("/start {}", code.trim())).await;
    told(&playing, kim, "you are with us as: Worker").await;
    plays(&playing, kim, "worker").await;
    playing.post("/playground/kill", &json!({})).await;
    person(json!({ "name": "Somebody else" })).await;
    say(kim, "/shift").await;
    told(&playing, kim, "an hour").await;
    assert_eq!(playing.interrupt().await, 0);
    let playing = Playing::start(place.path());
    plays(&playing, kim, "worker").await;
    let path = format!("/emulator/people/{kim}");
    let none = json!({ "role": "" }).to_string();
    let changed = http::exchange(playing.address, Method::PATCH, &path, &[], none.into());
    assert!(changed.await.expect("an answer").is_success());
    let shift = json!({ "from": kim, "text": "/shift" });
    playing.post("/emulator/messages", &shift).await;
    told(&playing, kim, "I do not know you yet").await;
}

/// There is somewhere to work and something to do, and the next start brings no more of it.
#[tokio::test]
async fn a_shift_can_be_opened_at_once() {
    let place = place();
    let playing = Playing::start(place.path());
    let worker = json!({ "name": "Kim", "role": "worker" });
    let kim = playing.post("/emulator/people", &worker).await["id"].as_i64();
    let kim = kim.expect("a person");
    let shift = json!({ "from": kim, "text": "/shift" });
    playing.post("/emulator/messages", &shift).await;
    let offer = told(&playing, kim, "an hour").await;
    assert!(offer.contains("Lenin St. 5") && offer.contains("Sweep"));
    let open = json!({ "from": kim, "label": "▶️ Open the shift" });
    playing.post("/emulator/press", &open).await;
    told(&playing, kim, "Done: 0 of 2").await;
    playing.post("/playground/kill", &json!({})).await;
    let (pavel, manage) = (5005, json!({ "from": 5005, "text": "/manage" }));
    playing.post("/emulator/messages", &manage).await;
    told(&playing, pavel, "Ваши объекты").await;
    let chat = playing.get(&format!("/emulator/chats/{pavel}")).await;
    assert_eq!(chat.to_string().matches("Lenin St. 5").count(), 1);
}

/// A bot that serves people looks less often.
#[tokio::test]
async fn what_a_role_can_do_is_offered_before_anybody_misses_it() {
    let place = place();
    let playing = Playing::start(place.path());
    let worker = json!({ "name": "Kim", "role": "worker" });
    let kim = playing.post("/emulator/people", &worker).await["id"].take();
    let start = json!({ "from": kim, "text": "/start" });
    playing.post("/emulator/messages", &start).await;
    let offered = async || {
        let chat = playing.get(&format!("/emulator/chats/{kim}")).await;
        let commands = chat["commands"][kim.to_string()].as_array()?.iter();
        let mut names = commands.filter_map(|it| it["command"].as_str());
        names.any(|name| name == "shift").then_some(())
    };
    let soon = timeout(Duration::from_secs(14), until("it is offered", offered));
    assert!(soon.await.is_ok(), "it takes too long");
}

#[tokio::test]
async fn a_role_that_the_bot_does_not_know_is_refused_and_changes_nothing() {
    let place = place();
    let playing = Playing::start(place.path());
    let state = playing.get("/emulator/state").await;
    let roles = json!(["owner", "dispatcher", "master", "worker"]);
    assert_eq!(state["bot"]["roles"], roles);
    let boss = json!({ "name": "Anna", "role": "boss" });
    let made = playing.try_post("/emulator/people", &boss).await;
    let path = format!("/emulator/people/{ANN}");
    let changed =
        http::exchange(playing.address, Method::PATCH, &path, &[], boss.to_string().into());
    for refused in [made, changed.await.expect("an answer")] {
        assert_eq!(refused.status, 400);
        let words = refused.json()["error"].take();
        let words = words.as_str().expect("words");
        assert!(words.contains("`boss`") && words.contains("dispatcher, master"));
    }
    let after = playing.get("/emulator/state").await;
    assert_eq!(after["people"], state["people"]);
}

#[tokio::test]
async fn after_a_restart_chats_and_dialogues_are_there() {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    // The transition is told by the log, which may be a moment behind.
    let before = playing
        .dialogue("it waits", |seen| seen["waiting"] == json!([]) && seen["timeline"] != json!([]));
    let before = before.await;
    assert_eq!(playing.interrupt().await, 0);
    let playing = Playing::start(place.path());
    assert_eq!(playing.told().await, ["Please send me a photo."]);
    playing.dialogue("it is as it was", |seen| *seen == before).await;
    playing.say("/cancel").await;
    playing.hears("Cancelled").await;
    playing.kill();
    let playing = Playing::start(place.path());
    playing.say("/menu").await;
    playing.hears("What would you like to do?").await;
}

#[tokio::test]
async fn time_passes_for_telegram_and_the_bot_alike() {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    let seen = playing.dialogue("a reminder is due", |seen| seen["due"]["kind"] == "remind");
    let due = seen.await["due"]["at"].as_u64().expect("a time");
    let path = format!("/playground/dialogues/{ANNS}/fire");
    let now = playing.post(&path, &json!({})).await["now"].as_u64();
    assert!(now >= Some(due), "{now:?} {due}");
    playing.hears("I am still here for your photo.").await;
    let seen = playing.dialogue("the end is due", |seen| seen["due"]["kind"] == "expire");
    seen.await;
    // The bot is told the time also when it has just died.
    let (kill, later) = (json!({}), json!({ "advance": "15m" }));
    let (_, passed) = tokio::join!(
        playing.post("/playground/kill", &kill),
        playing.post("/playground/clock", &later)
    );
    assert!(passed["now"].as_u64() >= now.map(|now| now + 900_000));
    playing.hears("Continue where you stopped?").await;
    let seen = playing
        .dialogue("it is put aside", |seen| {
            // The transitions are told by the log, which may be a moment behind.
            let is_told = steps(seen).last() == Some(&("shot", "parked"));
            seen["live"].is_null() && is_told
        })
        .await;
    let draft = &seen["parked"][0];
    assert_eq!((&draft["flow"], &draft["state"]), (&json!("photo"), &json!("shot")));
    assert_eq!(seen["due"], json!({ "at": draft["until"], "kind": "forget" }));
    playing.post(&path, &json!({})).await;
    playing.dialogue("it is forgotten", |seen| seen["parked"] == json!([])).await;
    let nothing = playing.try_post(&path, &json!({})).await;
    assert_eq!(nothing.status, 409);
    let wrong = playing.try_post("/playground/clock", &json!({ "advance": "soon" })).await;
    assert!(wrong.status == 400 && wrong.json()["error"].is_string());
}

/// They are at different times, so each is seen.
#[tokio::test]
async fn what_is_due_on_the_way_happens_one_after_the_other() {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    // The bot has noted that the question was sent, or it would send it once more: a lease ends while the time passes.
    let due = playing.dialogue("a reminder is due", |seen| {
        seen["due"]["kind"] == "remind" && seen["waiting"] == json!([])
    });
    due.await;
    let later = json!({ "advance": "15m" });
    playing.post("/playground/clock", &later).await;
    playing.hears("Continue where you stopped?").await;
    let told = playing.told().await;
    let [_, reminded, aside] = &told[..] else {
        panic!("{told:?}");
    };
    assert!(reminded.contains("I am still here for your photo."));
    assert!(aside.contains("I have put this aside"), "{aside}");
    let chat = playing.get(&format!("/emulator/chats/{ANN}")).await;
    let messages = chat["messages"].as_array().expect("messages").iter();
    let of_bot = messages.filter(|it| it["by"] == "bot");
    let dates: Vec<u64> = of_bot.filter_map(|it| it["date"].as_u64()).collect();
    let is_apart = |both: &[u64]| both[0] + 200 < both[1];
    assert!(dates.windows(2).all(is_apart), "{dates:?}");
}

/// The bot was away then, so it holds it back; whoever wants to see it at once does.
#[tokio::test]
async fn what_was_due_while_the_playground_was_closed_can_be_fired() {
    fires_after_a_closure_that_ends(60_000).await;
}

/// That is held back as well, since a press from before would come only now.
#[tokio::test]
async fn what_is_due_just_after_the_playground_was_closed_can_be_fired() {
    fires_after_a_closure_that_ends(-60_000).await;
}

/// So many milliseconds after the reminder was due.
async fn fires_after_a_closure_that_ends(after: i64) {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    let seen = playing.dialogue("a reminder is due", |seen| seen["due"]["kind"] == "remind");
    let due = seen.await["due"]["at"].as_u64().expect("a time");
    let now = playing.get("/emulator/state").await["now"].as_u64();
    assert_eq!(playing.interrupt().await, 0);
    let passed = (due - now.expect("a time")).saturating_add_signed(after);
    closed_for(place.path(), passed);
    let playing = Playing::start(place.path());
    let now = playing.get("/emulator/state").await["now"].as_u64();
    assert_eq!(now > Some(due), after > 0, "{now:?} {due}");
    let seen = playing.dialogue("it is still due", |seen| seen["due"]["kind"] == "remind");
    assert_eq!(seen.await["due"]["at"], due);
    let path = format!("/playground/dialogues/{ANNS}/fire");
    playing.post(&path, &json!({})).await;
    playing.hears("I am still here for your photo.").await;
}

/// Lets so many milliseconds pass for a playground that is closed.
fn closed_for(place: &Path, passed: u64) {
    let path = place.join("telegram/emulator.json");
    let text = fs::read_to_string(&path).expect("what was written down");
    let mut kept: Value = serde_json::from_str(&text).expect("JSON");
    kept["ahead"] = json!(kept["ahead"].as_u64().expect("a time") + passed);
    fs::write(&path, kept.to_string()).expect("a file");
}

/// Whoever moves the clock of the emulator moves that of the bot.
#[tokio::test]
async fn the_bot_follows_the_clock_of_the_emulator_also_into_another_day() {
    let place = place();
    let playing = Playing::start(place.path());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    playing.post("/emulator/clock", &json!({ "advance": "6m" })).await;
    playing.hears("I am still here for your photo.").await;
    let now = playing.get("/emulator/state").await["now"].as_u64();
    assert_eq!(playing.interrupt().await, 0);
    let playing = Playing::start(place.path());
    let later = playing.get("/emulator/state").await["now"].as_u64();
    assert!(later > now, "{later:?} {now:?}");
    playing.say("/cancel").await;
    playing.hears("Cancelled").await;
}

#[tokio::test]
async fn the_inspector_sees_what_waits_and_every_flow() {
    let place = place();
    let playing = Playing::start(place.path());
    let fault = json!({ "on": "call", "kind": "too_many", "method": "sendMessage", "retry_after": 60, "times": 1 });
    playing.post("/emulator/faults", &fault).await;
    playing.say("/photo").await;
    let seen = playing.dialogue("a message waits", |seen| seen["waiting"] != json!([]));
    let seen = seen.await;
    let lane = &seen["waiting"][0];
    assert_eq!((&lane["lane"], &lane["effects"][0]["do"]), (&json!("messages"), &json!("send")));
    assert_eq!(seen["live"]["flow"], "photo");
    assert!(seen["live"]["since"].is_u64() && seen["version"].is_u64());
    let flows = playing.get("/playground/flows").await;
    let photo = flows["flows"].as_array().expect("flows").iter();
    let photo = photo.clone().find(|flow| flow["name"] == "photo");
    let photo = photo.expect("the photo flow");
    assert!(photo["states"].as_array().is_some_and(|all| all.contains(&json!("shot"))));
    let edge = json!({ "from": "start", "to": "shot" });
    assert!(photo["edges"].as_array().is_some_and(|all| all.contains(&edge)));
    let nobody = playing.get("/playground/dialogues/77:77").await;
    assert!(nobody["live"].is_null() && nobody["timeline"] == json!([]));
}

#[tokio::test]
async fn everything_is_told_as_it_happens() {
    let place = place();
    let playing = Playing::start(place.path());
    let mut events = Listener::new(&playing).await;
    let bot = events.until("bot").await;
    assert_eq!((&bot["ready"], &bot["kills"]), (&json!(true), &json!(0)));
    playing.say("/photo").await;
    let moved = events.until("transition").await;
    assert_eq!((&moved["dialogue"], &moved["to"]), (&json!(ANNS), &json!("shot")));
    assert!(moved["update_id"].is_u64() && moved["at"].is_u64());
    assert_eq!(events.until("dialogue").await["dialogue"], ANNS);
    playing.post("/playground/kill", &json!({})).await;
    while events.until("bot").await["kills"] != 1 {}
}

#[tokio::test]
async fn nothing_of_the_bot_is_left_behind() {
    let place = place();
    let pid = |bot: Value| bot["pid"].as_u64().expect("a process");
    let playing = Playing::start(place.path());
    let bot = pid(playing.bot(1).await);
    assert_eq!(playing.interrupt().await, 0);
    gone(bot).await;
    let playing = Playing::start(place.path());
    let bot = pid(playing.bot(1).await);
    playing.kill();
    gone(bot).await;
}

/// A port that is taken, a directory that cannot be written, or is another's.
#[tokio::test]
async fn what_is_in_the_way_is_said_in_one_line_with_the_way_around_it() {
    let place = place();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().map(|it| it.to_string()).map(|it| (it, taken));
    let (address, _listener) = taken.expect("an address");
    refused(&["playground", "--listen", &address], place.path(), &address, "--listen");
    fs::write(place.path().join("file"), "").expect("a file");
    refused(&["playground", "--data", "file/data"], place.path(), "file/data", "--data");
    let playing = Playing::start(&place.path().join("used"));
    refused(&["playground", "--data", "used"], place.path(), "another playground", "--data");
    assert_eq!(playing.interrupt().await, 0);
}

fn refused(arguments: &[&str], place: &Path, what: &str, option: &str) {
    let (code, said) = outcome(&run(arguments, place));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(what) && said.contains(option), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Without a word: in the working directory, at the usual port or the next one. What is meant for a real bot is left alone.
#[tokio::test]
async fn a_bare_start_needs_nothing_and_heeds_no_environment() {
    let place = place();
    fs::write(place.path().join(".env"), "STATE_TTL=1s\nthis is broken").expect("a file");
    let variables = [("STATE_TTL", "1s"), ("BOT_TOKEN", "1:real"), ("STORE", "memory")];
    let playing = Playing::start_as(&[], place.path(), &variables.into());
    let again =
        Playing::start_as(&["playground", "--data", "other"], place.path(), &BTreeMap::new());
    assert!(playing.address != again.address && again.address.ip().is_loopback());
    assert!(place.path().join("data/playground").is_dir());
    playing.say("/photo").await;
    playing.hears("Please send me a photo.").await;
    let seen = playing.dialogue("it waits for long", |seen| seen["due"]["kind"] == "remind");
    seen.await;
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_in_plain_words() {
    let place = place();
    let playing = Playing::start(place.path());
    for (verb, path, body, status, words) in [
        (Method::GET, "nope", "", 404, "there are bot, kill"),
        (Method::GET, "kill", "", 405, "takes POST, not GET"),
        (Method::POST, "flows", "", 405, "takes GET, not POST"),
        (Method::POST, "clock", "15m", 400, "not as it should be"),
        (Method::POST, "clock", "{}", 400, "`advance`"),
    ] {
        let path = format!("/playground/{path}");
        let answer = http::exchange(playing.address, verb, &path, &[], body.into()).await;
        let answer = answer.expect("an answer");
        let error = answer.json()["error"].take();
        let is_said = error.as_str().is_some_and(|error| error.contains(words));
        assert!(is_said && answer.status == status, "{path}: {answer:?}");
    }
    // Without a word on what the body is.
    let later = json!({ "advance": "1s" }).to_string();
    let passed = http::post_as(playing.address, "/playground/clock", &[], later).await;
    assert_eq!(passed.expect("an answer").status, 200);
    let foreign = http::foreign(playing.address, "/playground/bot", "host", "evil.example").await;
    let foreign = foreign.expect("an answer");
    assert_eq!(foreign.status, 403);
    assert!(foreign.json()["error"].is_string(), "{}", foreign.body);
}

#[tokio::test]
async fn no_foreign_page_can_play() {
    let place = place();
    let playing = Playing::start(place.path());
    for head in [
        "Host: evil.example\r\n",
        "Host: localhost\r\nOrigin: https://evil.example\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
    ] {
        for path in ["/playground/kill", "/emulator/reset", "/bot7000000001:x/deleteWebhook"] {
            let asked = format!("POST {path} HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n");
            let mut stream = TcpStream::connect(playing.address).await.expect("a peer");
            stream.write_all(asked.as_bytes()).await.expect("asked");
            let mut status = String::new();
            let read = BufReader::new(stream).read_line(&mut status).await;
            read.expect("an answer");
            assert!(status.contains(" 403 "), "{path} {head}: {status}");
        }
    }
    assert_eq!(playing.bot(1).await["kills"], 0);
    let link = http::foreign(playing.address, "/", "sec-fetch-site", "cross-site").await;
    assert_eq!(link.expect("the page").status, 200);
}

/// The way a dialogue walked.
fn steps(seen: &Value) -> Vec<(&str, &str)> {
    let steps = seen["timeline"].as_array().expect("a timeline").iter();
    steps
        .map(|step| {
            let word = |name: &str| step[name].as_str().expect("a word");
            (word("from"), word("to"))
        })
        .collect()
}

/// Listens to the events of a playground.
struct Listener(BufReader<TcpStream>);

impl Listener {
    async fn new(playing: &Playing) -> Self {
        let mut stream = TcpStream::connect(playing.address).await.expect("a peer");
        let asked = b"GET /playground/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(asked).await.expect("asked");
        Self(BufReader::new(stream))
    }

    /// The next event of this type.
    async fn until(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            let read = timeout(LONG, self.0.read_line(&mut line)).await;
            read.expect("an event in time").expect("a line");
            let event = line.strip_prefix("data: ").unwrap_or("null");
            let event: Value = serde_json::from_str(event).expect("JSON");
            if event["type"] == kind {
                return event;
            }
        }
    }
}
