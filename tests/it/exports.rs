//! Tables for the people who do the pay, by the command line: whole, and of the days that were asked for.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;

use crate::support::bot_api::BotApi;
use crate::support::server::Setup;
use crate::support::world::World;

/// One more than the server gives at once.
const MANY: i64 = 501;

/// Where the clocks of the company stand, the first is of the evening before, the last of the morning after, and there are so many
/// between that a page does not hold them.
#[tokio::test]
async fn an_export_is_whole_however_long_and_only_of_its_days() {
    let world = company().await;
    fill(&world);
    let on = |what: &str, to: &str| -> Vec<Value> {
        let json = export(&world, what, to, "json");
        serde_json::from_str(&json).expect("JSON")
    };
    let numbers = |rows: &[Value]| -> Vec<i64> {
        let numbers = rows.iter().map(|row| row["order"].as_i64());
        numbers.collect::<Option<_>>().expect("numbers")
    };
    let orders = numbers(&on("orders", "2026-11-02"));
    assert_eq!(orders, (2..=MANY + 1).collect::<Vec<_>>());
    let orders = numbers(&on("orders", "2026-11-03"));
    assert_eq!(orders, (2..=MANY + 2).collect::<Vec<_>>());
    let csv = export(&world, "orders", "2026-11-02", "csv");
    assert_eq!(csv.lines().count() as i64, 1 + MANY, "one head: {csv}");
    // The parts of one shift's pay, over the end of a page.
    let parts = on("adjustments", "2026-11-02");
    let amounts = parts.iter().map(|part| part["amount"].as_str());
    let expected = (1..=MANY).map(|minor| format!("{}.{:02}", minor / 100, minor % 100));
    let amounts: Vec<_> = amounts.map(|it| it.expect("an amount").to_owned()).collect();
    assert_eq!(amounts, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn export_is_refused_if_its_days_are_in_the_wrong_order() {
    let world = company().await;
    let days = ["--from", "2026-11-30", "--to", "2026-11-01"];
    let (code, said) = world.command(&[&["export", "orders"][..], &days].concat());
    assert!(code == 1 && said.contains("2026-11-30 comes after 2026-11-01"), "{said}");
}

async fn company() -> World {
    let api = BotApi::start();
    let setup = Setup::embedded(&api).with("TIMEZONE", "Europe/Moscow");
    World::raise(api, setup, 1).await
}

/// What the command says of this table, from the second of November to this day.
fn export(world: &World, what: &str, to: &str, format: &str) -> String {
    let from = "2026-11-02";
    let arguments = ["export", what, "--from", from, "--to", to, "--format", format];
    let (code, said) = world.command(&arguments);
    assert_eq!(code, 0, "{said}");
    said
}

/// By the back door: orders at both ends of a day, and a shift that was closed at its end with pay of many parts.
fn fill(world: &World) {
    let midnight = |text: &str| text.parse::<Timestamp>().expect("a moment").as_millisecond();
    let (begin, end) = (midnight("2026-11-02T00:00+03"), midnight("2026-11-03T00:00+03"));
    let file = Path::new(world.setup.value("DATA_DIR")).join("records.db");
    let mut records = Connection::open(file).expect("the records");
    let all = records.transaction().expect("a transaction");
    for no in 1..=MANY + 2 {
        let at = match no {
            1 => begin - 1,
            2 => begin,
            _ if no > MANY + 1 => end,
            _ => end - 1,
        };
        let sql = "INSERT INTO orders (id, no, equipment, problem, client, address, phone, status, created_by, created_at) \
                   VALUES (?1, ?1, 'fridge', 'It hums', 'Olga', 'Park 1', '', 'new', 5, ?2)";
        all.execute(sql, [no, at]).expect("an order");
    }
    let object = "INSERT INTO objects VALUES ('d', 'Depot', 1, 'UTC', 1, 0)";
    all.execute(object, []).expect("an object");
    let shift = "INSERT INTO shifts (id, no, worker, object, rate, status, opened_at, closed_at, touched_at) \
                 VALUES ('s', 1, 7, 'd', 1, 'closed', ?1, ?2, ?2)";
    all.execute(shift, [begin, end - 1]).expect("a shift");
    for part in 1..=MANY {
        let sql = "INSERT INTO adjustments VALUES ('s', ?1, 'task_bonus', ?2, NULL)";
        all.execute(sql, [part - 1, part]).expect("a part of the pay");
    }
    all.commit().expect("committed");
}
