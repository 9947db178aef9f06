//! Bots that others could have written, built and run as their authors would: the crates in `examples/`, the features of
//! `steadfast`, and the first bot of README.md in a crate outside the workspace.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};

use crate::docs::split;
use crate::support::bot_api::BotApi;
use crate::support::http;
use crate::support::patience::until;
use crate::support::server::{Setup, outcome, program};
use crate::support::updates::{Telegram, Update, someone};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const OPS_TOKEN: &str = "a-token-of-the-operators";

/// Returns the target directory in which this test was built, so that dependencies are built once.
fn target() -> PathBuf {
    let target = Path::new(program()).ancestors().nth(2);
    target.expect("target/debug/steadfast").to_owned()
}

/// Runs cargo in this directory, and returns what it printed. A failure or a warning fails the test.
fn cargo(dir: &Path, arguments: &str) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments.split_whitespace()).current_dir(dir).env("CARGO_TARGET_DIR", target());
    // Build scripts of dependencies run again if they find the variables that Cargo sets for this test.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*name);
        }
    }
    let (code, printed) = outcome(&cargo.output().expect("cargo"));
    assert!(code == 0 && !printed.contains("warning: "), "cargo {arguments}: {printed}");
    printed
}

/// Returns the program of this name, as the last build left it.
fn built(name: &str) -> PathBuf {
    target().join("debug").join(name)
}

/// Starts a program with a store in memory, sends a command, and waits for the question.
async fn ask(program: &Path, command: &str, question: &str) {
    let api = BotApi::start();
    let server = Setup::memory(&api).of_program(program, &["serve"]).start().await;
    let user = someone();
    Telegram::to([&server]).deliver(&Update::text(user, command)).await;
    api.until_said(user, question).await;
    server.stop().await;
}

#[tokio::test]
async fn shop_sells_bicycles_and_reports_the_sales() {
    cargo(Path::new(ROOT), "build --locked -p shop");
    let (api, [seller, ann, bob]) = (BotApi::start(), [someone(), someone(), someone()]);
    let setup = Setup::embedded(&api)
        .of_program(&built("shop"), &["serve"])
        .with("SELLER_IDS", &seller.to_string())
        .with("SHOP_NAME", "Two Wheels")
        .with("SHOP_MAX_PER_CUSTOMER", "1")
        // Operators need the token only if the listener is not on the loopback.
        .with("OPS_ADDR", "0.0.0.0:0")
        .with("OPS_TOKEN", OPS_TOKEN);
    let server = setup.start().await;
    let telegram = Telegram::to([&server]);

    for (model, price, count) in [("City", "400", "1"), ("Tour", "900", "2")] {
        for text in ["/stock", model, price, count] {
            telegram.deliver(&Update::text(seller, text)).await;
        }
        api.until_said(seller, &format!("{count} × {model} in stock.")).await;
    }
    let catalogue = until("the bicycles are in the catalogue", async || {
        let answer = http::get(server.webhook(), "/catalogue").await.ok()?.json();
        (answer["bicycles"].as_array()?.len() == 2).then_some(answer)
    });
    let city = json!({ "model": "City", "price": 400, "stock": 1 });
    let tour = json!({ "model": "Tour", "price": 900, "stock": 2 });
    let all = json!({ "shop": "Two Wheels", "bicycles": [city, tour] });
    assert_eq!(catalogue.await, all);

    let mut press = Vec::new();
    for customer in [ann, bob] {
        telegram.deliver(&Update::text(customer, "/buy")).await;
        let question = api.until_said(customer, "You have bought 0 so far.").await;
        press.push(Update::press(customer, &question.button("City for 400")));
    }
    let hears = async |customer: i64, words: &str| {
        until(format!("{customer} hears `{words}`"), async || {
            api.texts(customer).iter().any(|text| text.contains(words)).then_some(())
        })
        .await;
    };
    telegram.deliver(&press[0]).await;
    hears(ann, "The City is yours.").await;
    telegram.deliver(&press[1]).await;
    hears(bob, "the City is sold out").await;
    telegram.deliver(&Update::text(ann, "/buy")).await;
    let question = api.until_said(ann, "You have bought 1 so far.").await;
    telegram.deliver(&Update::press(ann, &question.button("Tour for 900"))).await;
    hears(ann, "as many bicycles as one customer may").await;
    assert!(!api.texts(bob).iter().any(|text| text.contains("is yours")), "{:?}", api.texts(bob));

    assert_eq!(server.ask("/sales").await.status, 401);
    let token = format!("Bearer {OPS_TOKEN}");
    let headers = [("authorization", &*token)];
    let report = http::exchange(server.ops(), Method::GET, "/sales", &headers, Bytes::new()).await;
    let report: Value = report.expect("a report").json();
    assert_eq!(report["sales"], json!([["City", 1, 400]]));
    assert!(report["turns"].as_u64() >= Some(14), "{report}");
    let operator = setup.clone().with("OPS_ADDR", &server.ops().to_string());
    assert_eq!(outcome(&operator.run(&["sales"])), (0, "City: 1 sold for 400\n".to_owned()));
    assert_eq!(outcome(&operator.run(&["sales", "--model", "Tour"])), (0, String::new()));
    server.stop().await;

    assert_eq!(outcome(&setup.run(&["--version"])), (0, "shop 0.3.0\n".to_owned()));
    let (code, error) = outcome(&setup.with("SHOP_MAX_PER_CUSTOMER", "none").run(&["serve"]));
    assert!(code == 2 && error.contains("SHOP_MAX_PER_CUSTOMER"), "{code}: {error}");
}

#[tokio::test]
async fn features_of_signup_bring_what_they_name_and_nothing_else() {
    let place = tempfile::tempdir().expect("a directory");
    for features in ["", "playground", "sql", "playground,sql"] {
        let chosen = format!("--locked -p signup --no-default-features --features={features}");
        let tree = cargo(Path::new(ROOT), &format!("tree {chosen} -e normal --prefix none"));
        for (feature, package) in [("sql", "sqlx "), ("playground", "steadfast-emulator ")] {
            let is_built = tree.lines().any(|line| line.starts_with(package));
            assert_eq!(is_built, features.contains(feature), "{features}: {tree}");
        }

        cargo(Path::new(ROOT), &format!("build {chosen}"));
        // The next build replaces the program.
        let program = place.path().join("signup");
        fs::copy(built("signup"), &program).expect("a copy");
        ask(&program, "/signup", "What is your name?").await;
        if !features.contains("playground") {
            let setup = Setup::memory(&BotApi::start()).of_program(&program, &[]);
            let (code, help) = outcome(&setup.run(&[]));
            assert!(code == 0 && help.contains("Usage: signup"), "{code}: {help}");
        }
    }
}

#[tokio::test]
async fn first_bot_of_the_readme_runs_in_a_crate_of_its_own() {
    let readme = fs::read_to_string(format!("{ROOT}/README.md")).expect("README.md");
    let blocks = split(&readme).1;
    let block = |language: &str, part: &str| {
        let found =
            blocks.iter().find(|it| it.info.starts_with(language) && it.text.contains(part));
        found.unwrap_or_else(|| panic!("README.md has no {language} with `{part}`")).text.clone()
    };
    let name = block("sh", "cargo new ");
    let name = name.split_once("cargo new ").expect("a name").1.lines().next().expect("a line");
    let dependencies =
        block("toml", "[dependencies]").replace("\"../steadfast/", &format!("\"{ROOT}/"));
    assert!(dependencies.contains(ROOT), "{dependencies}");

    let place = tempfile::tempdir().expect("a directory");
    let write = |path: &str, text: &str| fs::write(place.path().join(path), text).expect("a file");
    fs::create_dir(place.path().join("src")).expect("a directory");
    write("src/main.rs", &block("rust", "bot!()"));
    let package =
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    // With the lock file and the profiles of the workspace, other crates are neither downloaded nor built again.
    let profiles = "[profile.dev]\ndebug = false\n[profile.dev.package.\"*\"]\ncodegen-units = 1\n";
    write("Cargo.toml", &format!("{package}\n{dependencies}\n{profiles}"));
    fs::copy(format!("{ROOT}/Cargo.lock"), place.path().join("Cargo.lock")).expect("a copy");

    let tested = cargo(place.path(), "test --offline");
    assert!(tested.contains("test result: ok. 1 passed"), "{tested}");
    cargo(place.path(), "build --offline");
    ask(&built(name), "/coffee", "Which size?").await;
}
