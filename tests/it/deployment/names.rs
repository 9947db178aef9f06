//! What the files in `deploy/` name is there: metrics, labels, variables, runbooks, sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use field_service::{Company, DECLARED};
use steadfast::config::{Config, Mode};
use steadfast::telemetry::CATALOGUE;

use crate::support::bot_api::BotApi;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, post, someone};

const ALERTS: &str = "deploy/alerts.yml";
const ANALYTICS: &str = "deploy/analytics.yml";
const DASHBOARD: &str = "deploy/grafana/dashboards/steadfast.json";
/// Pages that name metrics and alerts.
const PAGES: [&str; 4] =
    ["docs/guarantees.md", "docs/observability.md", "docs/operations.md", "docs/performance.md"];
/// Labels whose values the bot knows beforehand.
const LABELS: [&str; 8] = ["outcome", "result", "kind", "reason", "check", "lane", "op", "method"];

/// What operators build upon: renaming one breaks their dashboards.
const AGREED: [&str; 41] = [
    "webhook_requests_total",
    "webhook_request_duration_seconds",
    "webhook_inflight",
    "webhook_inflight_limit",
    "webhook_body_bytes",
    "updates_total",
    "update_age_seconds",
    "transitions_total",
    "handler_duration_seconds",
    "handler_panics_total",
    "dead_letters_total",
    "dialogues_active",
    "dialogues_started_total",
    "dialogues_finished_total",
    "dialogue_timeout_lag_seconds",
    "commit_conflicts_total",
    "commit_retries_total",
    "store_op_duration_seconds",
    "store_errors_total",
    "store_reconnects_total",
    "store_up",
    "store_is_master",
    "store_config_ok",
    "store_rollbacks_total",
    "store_replicas_connected",
    "store_memory_used_bytes",
    "store_memory_limit_bytes",
    "outbox_depth",
    "outbox_oldest_age_seconds",
    "outbox_dead_letters",
    "outbox_claims_total",
    "outbox_stale_token_total",
    "telegram_calls_total",
    "telegram_call_duration_seconds",
    "telegram_retry_after_seconds",
    "reply_delay_seconds",
    "ratelimit_wait_seconds",
    "telegram_webhook_pending_updates",
    "telegram_webhook_last_error_timestamp_seconds",
    "draining",
    "build_info",
];

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words of a text that begin so.
fn words<'a>(text: &'a str, beginning: &str) -> BTreeSet<&'a str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(beginning))
        .collect()
}

/// Everything that `label="one|other"`, in whatever way it is compared, asks for.
fn asked(text: &str, label: &str) -> BTreeSet<String> {
    let text = text.replace("\\\"", "\"");
    let parts = text.split(label).skip(1);
    let values = parts.filter_map(|part| {
        let part = part.strip_prefix(['=', '!'])?;
        let part = part.trim_start_matches(['=', '~']);
        let (values, _) = part.strip_prefix('"')?.split_once('"')?;
        Some(values.split('|').map(str::to_owned).collect::<Vec<_>>())
    });
    values.flatten().filter(|it| !it.starts_with('$')).collect()
}

#[test]
fn the_agreed_metrics_are_there() {
    let listed: BTreeSet<&str> = CATALOGUE.iter().map(|metric| metric.name).collect();
    for name in AGREED {
        let name = format!("steadfast_{name}");
        assert!(listed.contains(&*name), "{name} is missing");
    }
}

#[tokio::test]
async fn every_metric_and_label_that_is_watched_is_shown() {
    let api = BotApi::start();
    let server = Setup::redis(&api, RedisServer::shared()).start().await;
    let taken = post(server.webhook(), &Update::photo(someone())).await;
    assert!(taken.expect("an answer").is_success());
    let (metrics, page) = (server.metrics().await, server.ask("/metrics").await.body);
    for path in [ALERTS, ANALYTICS, DASHBOARD, "deploy/alerts.test.yml"] {
        let text = text(path);
        let names = ["steadfast_", "process_"].map(|beginning| words(&text, beginning));
        assert!(!names[0].is_empty(), "{path} watches nothing");
        for name in names.into_iter().flatten() {
            assert!(metrics.has(name), "{path}: nothing shows {name}");
        }
        for (name, matchers) in selectors(&text) {
            for label in LABELS {
                for value in asked(&matchers, label) {
                    let (of, shown) = (format!("{name}{{"), format!("{label}=\"{value}\""));
                    let mut lines = page.lines().filter(|line| line.starts_with(&of));
                    let found = lines.any(|line| line.contains(&shown));
                    assert!(found, "{path}: no {name} shows {shown}");
                }
            }
        }
    }
}

#[test]
fn metrics_in_docs_are_listed() {
    for path in PAGES {
        for name in words(&text(path), "steadfast_") {
            let is_listed = CATALOGUE.iter().any(|metric| metric.name == name);
            assert!(is_listed, "{path}: there is no {name}");
        }
    }
}

#[test]
fn alerts_in_docs_exist() {
    let rules = text(ALERTS) + &text(ANALYTICS);
    let alerts: BTreeSet<&str> = after(&rules, "- alert: ").collect();
    for path in PAGES {
        for name in words(&text(path), "Steadfast").into_iter().filter(|it| *it != "Steadfast") {
            assert!(alerts.contains(name), "{path}: there is no {name}");
        }
    }
}

#[test]
fn guarantees_say_what_a_failover_can_lose() {
    let page = text("docs/guarantees.md");
    let (_, lost) = page
        .split_once("\n| store | process killed | power lost |\n")
        .expect("the table of what a crash can lose");
    let (lost, _) = lost.split_once("\n## ").expect("its end");
    let mut rows = lost.lines().filter(|line| line.starts_with("| `redis`"));
    let row = rows.find(|row| row.contains("with replicas"));
    assert!(row.expect("a row").contains("replication is asynchronous"));
    for words in ["SteadfastStoreRolledBack", "min-replicas-to-write 1"] {
        assert!(lost.contains(words), "`{words}` is missing");
    }
}

/// Every `name{…}` of the bot: the name, and what is between the braces.
fn selectors(text: &str) -> Vec<(String, String)> {
    let text = text.replace("\\\"", "\"");
    let opened = text.match_indices('{').filter_map(|(at, _)| {
        let before = text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = before.into_iter().next()?;
        let (matchers, _) = text[at + 1..].split_once('}')?;
        let is_ours = name.starts_with("steadfast_");
        is_ours.then(|| (name.to_owned(), matchers.to_owned()))
    });
    opened.collect()
}

/// What is shown from the start is also set by somebody, and what is set is shown from the start.
#[test]
fn every_metric_is_listed_and_set() {
    let (mut set, mut quoted) = (BTreeSet::new(), BTreeSet::new());
    for (path, text) in [sources(Path::new("src")), sources(Path::new("crates"))].concat() {
        for made in ["counter!(", "gauge!(", "histogram!("] {
            let calls = text.split(made).skip(1);
            let named = calls.filter_map(|call| call.trim_start().strip_prefix('"'));
            set.extend(named.filter_map(|name| Some(name.split_once('"')?.0.to_owned())));
        }
        if !path.display().to_string().contains("src/telemetry/catalogue") {
            quoted.extend(text.split('"').map(str::to_owned));
        }
    }
    assert!(set.len() > 30, "{set:?}");
    let listed: BTreeSet<&str> = CATALOGUE.iter().map(|metric| metric.name).collect();
    for name in &listed {
        let is_set = set.contains(*name) || quoted.contains(*name);
        assert!(is_set, "{name} is listed, and nobody sets it");
    }
    for name in set {
        assert!(listed.contains(&*name), "{name} is set, and not listed");
    }
}

/// Every file of the program under this directory, with its text.
fn sources(dir: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(dir).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => Vec::from_iter(fs::read_to_string(&path).ok().map(|text| (path, text))),
        })
        .filter(|(path, _)| path.extension().is_some_and(|it| it == "rs"))
        .collect()
}

#[test]
fn every_alert_says_what_to_do_and_is_shown_to_fire_and_not_to() {
    let (alerts, tests, runbook) =
        (text(ALERTS), text("deploy/alerts.test.yml"), text("docs/operations.md"));
    let names: Vec<&str> = after(&alerts, "- alert: ").collect();
    assert!(names.len() > 10);
    for name in names {
        let anchor = format!("/docs/operations.md#{}\n", name.to_lowercase());
        assert!(alerts.contains(&anchor), "{name} has no runbook_url");
        assert!(runbook.contains(&format!("\n### {name}\n")), "{name} has no runbook");
        assert_tried(name, &tests);
    }
    let tests = text("deploy/analytics.test.yml");
    for name in after(&text(ANALYTICS), "- alert: ") {
        let section = format!("\n### {name}\n");
        assert!(runbook.contains(&section), "{name} has no runbook");
        assert_tried(name, &tests);
    }
    let parts = ["summary: ", "description: ", "severity: "];
    let counts = parts.map(|part| after(&alerts, part).count());
    assert_eq!(counts, [after(&alerts, "- alert: ").count(); 3]);
}

/// An alert is shown to be quiet, and to fire.
fn assert_tried(name: &str, tests: &str) {
    let quiet = format!("alertname: {name}\n        exp_alerts: []\n");
    let loud = format!("alertname: {name}\n        exp_alerts:\n");
    assert!(tests.contains(&quiet), "{name} is not shown to be quiet");
    assert!(tests.contains(&loud), "{name} is not shown to fire");
}

/// What follows these words, to the ends of their lines.
fn after<'a>(text: &'a str, words: &str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| line.trim_start().strip_prefix(words))
}

/// Variables of the bot that these lines set, with their values: `NAME: value`, `Environment=NAME=value`, `ENV NAME=value`.
fn set(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().map(str::trim_start);
    let pairs = lines.filter_map(|line| {
        let mut before = ["Environment=", "ENV "].into_iter();
        let line = before.find_map(|it| line.strip_prefix(it)).unwrap_or(line);
        let end =
            line.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_')?;
        let (name, rest) = line.split_at(end);
        let value = rest.strip_prefix(": ").or_else(|| rest.strip_prefix('='))?;
        (name.len() > 3 && name.contains('_') || name == "STORE")
            .then_some((name, value.trim().trim_matches(['"', '\''])))
    });
    // What belongs to the other programs of the composition.
    let others = ["POSTGRES_", "GF_", "PG"];
    pairs.filter(|(name, _)| !others.iter().any(|other| name.starts_with(other))).collect()
}

/// Every variable is known, and every value is understood, with secrets that are made up.
#[test]
fn every_variable_that_is_set_is_known_and_its_value_understood() {
    let dir = tempfile::tempdir().expect("a directory");
    let variables = DECLARED.variables::<Company>();
    for (path, least) in [
        ("deploy/compose.yaml", 8),
        ("deploy/kubernetes/config.yaml", 8),
        ("deploy/steadfast.service", 5),
        ("deploy/Dockerfile", 2),
    ] {
        let (text, mut values) = (text(path), BTreeMap::new());
        let found = set(&text);
        assert!(found.len() >= least, "{path} sets only {found:?}");
        for (name, value) in found {
            let known = variables.iter().any(|variable| variable.name == name);
            assert!(known, "{path} sets {name}, which does not exist");
            let value = match value.starts_with("${") {
                true => "https://bot.example.org/webhook",
                false => value,
            };
            values.insert(name, secret(name, dir.path()).unwrap_or(value.to_owned()));
        }
        let (token, webhook) = ("BOT_TOKEN_FILE", "WEBHOOK_SECRET_FILE");
        for name in [token, webhook] {
            values.insert(name, secret(name, dir.path()).expect("a secret"));
        }
        let source = |name: &str| values.get(name).cloned();
        let config = Config::<Company>::read(&source, Mode::Webhook, &DECLARED);
        assert!(config.is_ok(), "{path}: {}", config.expect_err("problems"));
    }
}

/// A file with something fit for a variable that names one.
fn secret(name: &str, dir: &Path) -> Option<String> {
    let what = match name.strip_suffix("_FILE")? {
        "BOT_TOKEN" => "12345:made-up-for-this-test",
        "DATABASE_URL" => "postgres://bot:made-up@postgres/bot",
        _ => "made-up-0123456789abcdef",
    };
    let path = dir.join(name);
    fs::write(&path, what).expect("a file");
    Some(path.display().to_string())
}

#[test]
fn what_the_image_is_made_of_exists_and_is_let_in() {
    let (dockerfile, ignored) = (text("deploy/Dockerfile"), text(".dockerignore"));
    let let_in: Vec<&str> = after(&ignored, "!").collect();
    assert_eq!(ignored.lines().find(|line| !line.starts_with('#')), Some("*"));
    let copies = after(&dockerfile, "COPY ").filter(|line| !line.starts_with("--from"));
    let mut count = 0;
    for line in copies {
        let sources: Vec<&str> = line.split_whitespace().collect();
        let (_, sources) = sources.split_last().expect("a goal");
        for source in sources {
            assert!(Path::new(source).exists(), "{source} does not exist");
            assert!(let_in.contains(source), "{source} is not let in");
            count += 1;
        }
    }
    assert!(count >= 4, "{count}");
}
