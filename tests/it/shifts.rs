//! A worker's whole shift, from what the owner sets up to the pay: the real server, its store and its records, before the
//! emulator, with a clock that can be moved.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::patience::until;
use crate::support::person::Person;
use crate::support::playing::{Playing, gone};
use crate::support::server::{outcome, program};

/// Of the first cast: one who owns, and reads Russian; one who works, and reads English.
const PAVEL: i64 = 5005;
const BEN: i64 = 5006;

/// An object where an hour earns five minor units, so that minutes make no difference; one mandatory task, one bonus task.
pub(crate) async fn set_up(owner: Person<'_>) {
    owner.says("/manage").await;
    owner
        .goes(&[
            ("Ваши объекты", "[➕ Добавить объект]"),
            ("Как называется", "Склад"),
            ("Сколько стоит час", "0,05"),
            ("часовом поясе", "[Europe/Moscow]"),
            ("0,05", "[💾 Сохранить]"),
            ("Сохранено", "[📋 Задачи]"),
            ("Задачи.", "[➕ Добавить задачу]"),
            ("Что нужно сделать", "Закрыть склад"),
            ("премиальная задача", "[❗ Обязательная]"),
            ("Какой штраф", "33"),
            ("Нужно ли фото", "[📷 Да]"),
            ("В каких сменах", "[В каждой смене]"),
            ("Обязательная. Если", "[💾 Сохранить]"),
            ("Сохранено", "[➕ Добавить задачу]"),
            ("Что нужно сделать", "Подмести"),
            ("премиальная задача", "[➕ Премиальная]"),
            ("Сколько платим", "100"),
            ("Нужно ли фото", "[📷 Да]"),
            ("В каких сменах", "[В каждой смене]"),
            ("Премия за", "[💾 Сохранить]"),
        ])
        .await;
    owner.hears("Сохранено").await;
}

/// Kills the bot, and waits until another is there.
async fn kill(playing: &Playing, starts: u64) {
    let bot = playing.bot(starts).await;
    playing.post("/playground/kill", &json!({})).await;
    gone(bot["pid"].as_u64().expect("a process")).await;
    playing.bot(starts + 1).await;
}

async fn advance(playing: &Playing, time: &str) {
    let advance = json!({ "advance": time });
    playing.post("/playground/clock", &advance).await;
}

#[tokio::test]
async fn a_whole_shift_comes_to_the_pay_of_364_over_kills_and_is_closed_once() {
    let place = tempfile::tempdir().expect("a directory");
    let playing = Playing::start(place.path());
    let (owner, worker) = (Person(&playing, PAVEL), Person(&playing, BEN));
    set_up(owner).await;
    worker.says("/menu").await;
    worker.presses("🛠 My shift").await;
    worker.hears("Where are you working?").await;
    worker.presses("Склад").await;
    worker.hears("0.05").await;
    worker.presses("▶️ Open the shift").await;
    worker.hears("Done: 0 of 2").await;
    kill(&playing, 1).await;
    // The time of a whole shift; the dialogue is long over, the shift is not.
    advance(&playing, "198h").await;
    worker.hears("stays open").await;
    worker.presses("🛠 My shift").await;
    worker.hears("Done: 0 of 2").await;
    worker.presses("⬜️ Подмести · +100.00\u{a0}₽ 📷").await;
    worker.hears("Send a photo").await;
    kill(&playing, 2).await;
    worker.sends_photo().await;
    worker.hears("One photo").await;
    worker.presses("⬅️ All tasks").await;
    worker.hears("Done: 1 of 2").await;
    worker.presses("🏁 Close the shift").await;
    let summary = worker.hears("Shall I close the shift?").await;
    for part in ["9.90", "−33.00", "+100.00", "Total: 76.90"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    // Two devices at once.
    worker.presses("✅ Close it").await;
    worker.presses("✅ Close it").await;
    owner.hears("Итого: 76,90").await;
    worker.says("/help").await;
    worker.hears("/menu").await;
    assert_eq!(worker.times("The shift is closed").await, 1);
    assert_eq!(owner.times("смена закрыта").await, 1);
    let others = [5001, 5002, 5003, 5004].map(|id| Person(&playing, id));
    for other in others {
        assert_eq!(other.told().await, Vec::<String>::new(), "nobody else");
    }
    the_pay_is_exported(&playing, place.path()).await;
}

/// By the command line, with the photo that was downloaded meanwhile.
async fn the_pay_is_exported(playing: &Playing, place: &Path) {
    let photo = "shift-000001/task-02-01.jpg";
    let file = place.join("bot/media").join(photo);
    until("the photo is downloaded", async || file.is_file().then_some(())).await;
    let export = async |what: &str, format: &str| {
        let log = std::fs::read_to_string(place.join("bot.log")).expect("a log");
        let ops = ops_address(&log);
        let mut command = std::process::Command::new(program());
        command.args([
            "export",
            what,
            "--from",
            "2020-01-01",
            "--to",
            "2100-01-01",
            "--format",
            format,
        ]);
        command.env_clear().env("OPS_ADDR", ops).current_dir(place);
        let (code, said) = outcome(&command.output().expect("the program"));
        assert_eq!(code, 0, "{said}");
        said
    };
    let csv = until("the photo is noted", async || {
        let csv = export("adjustments", "csv").await;
        csv.contains(photo).then_some(csv)
    })
    .await;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 4, "{csv}");
    for (line, part) in lines.iter().zip([
        "adjustment,task",
        ",shift_base,,9.90,0,",
        ",task_penalty,Закрыть склад,-33.00,0,",
        ",task_bonus,Подмести,100.00,1,shift-000001/task-02-01.jpg",
    ]) {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(lines[1].contains("+03:00"), "{csv}");
    let shifts: Value = serde_json::from_str(&export("shifts", "json").await).expect("JSON");
    assert_eq!(shifts[0]["total"], "76.90", "{shifts}");
    assert_eq!(playing.bot(3).await["kills"], 2);
}

/// Where the operations of the last bot listen, by what it said.
fn ops_address(log: &str) -> String {
    let started = log.lines().rev().find_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        let ops = line["fields"]["ops"].as_str().or(line["ops"].as_str());
        ops.map(str::to_owned)
    });
    started.expect("it said where")
}

/// Eight hours that begin in three, every day, where the clocks are those of Moscow. A shift may be opened for them two hours before.
async fn set_up_hours(owner: Person<'_>) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let minutes = now.expect("after 1970").as_secs() / 60;
    let wall = |hours: u64| {
        let at = minutes + (3 + hours) * 60;
        format!("{:02}:{:02}", at / 60 % 24, at % 60)
    };
    let hours = format!("{}-{}", wall(3), wall(11));
    owner.says("/manage").await;
    owner
        .goes(&[
            ("Ваши объекты", "[➕ Добавить объект]"),
            ("Как называется", "Склад"),
            ("Сколько стоит час", "0"),
            ("часовом поясе", "[Europe/Moscow]"),
            ("0,00", "[💾 Сохранить]"),
            ("Сохранено", "[🕘 Тайм-слоты]"),
            ("Тайм-слоты.", "[➕ Добавить тайм-слот]"),
            ("По каким дням", "[Каждый день]"),
            ("С какого", &hours),
            ("На сколько минут", "[10]"),
            ("Какой штраф", "100"),
            ("Опоздание больше", "[💾 Сохранить]"),
        ])
        .await;
    owner.hears("Сохранено").await;
}

/// The question is from before its time, the press is not: the slot is shown, and being late for it costs what was shown.
#[tokio::test]
async fn nobody_gets_round_a_slot_by_a_question_from_before_it() {
    let place = tempfile::tempdir().expect("a directory");
    let playing = Playing::start(place.path());
    let (owner, worker) = (Person(&playing, PAVEL), Person(&playing, BEN));
    set_up_hours(owner).await;
    worker.says("/shift").await;
    worker.hears("Where are you working?").await;
    worker.presses("Склад").await;
    worker.hears("No time slot").await;
    advance(&playing, "2h").await;
    worker.presses("▶️ Open the shift").await;
    worker.hears("time slots here have changed").await;
    until("the slot is shown", async || (worker.times("min late").await == 1).then_some(())).await;
    advance(&playing, "2h").await;
    worker.presses("▶️ Open the shift").await;
    until("the shift is open", async || {
        (worker.times("There are no tasks. Close the shift").await == 1).then_some(())
    })
    .await;
    worker.presses("🏁 Close the shift").await;
    until("being late costs", async || {
        (worker.times("Late start: −100.00").await == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_is_not_theirs_is_refused_by_the_server_too() {
    let place = tempfile::tempdir().expect("a directory");
    let playing = Playing::start(place.path());
    let (owner, worker) = (Person(&playing, PAVEL), Person(&playing, BEN));
    worker.says("/manage").await;
    worker.hears("for others").await;
    owner.says("/shift").await;
    owner.hears("другие сотрудники").await;
}
