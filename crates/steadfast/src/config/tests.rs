//! What is accepted, and what is said about the rest.

use std::collections::HashMap;

use secrecy::ExposeSecret;

use super::*;
use crate::intake::update::Scope;

const DECLARED: Declared = Declared {
    roles: &[Role::new("owner"), Role::new("editor"), Role::new("clerk"), Role::new("guest")],
    has_records: true,
};

/// The settings of a restaurant.
#[derive(Debug)]
struct Own;

impl Settings for Own {
    const VARIABLES: &'static [Variable] =
        &[Variable::secret("KITCHEN_KEY", "The key of the kitchen.")];

    fn read(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let key = env.required_secret("KITCHEN_KEY", "ask the cook for it");
        let oven = env.optional("OVEN", |_| Ok(()));
        key.and(oven).map(|_| Self)
    }
}

const TOKEN: &str = "123456:AAF-abcdefghijklmnopqrstuvwxyz_0123";

/// The least that `serve` needs, and then these.
fn read(pairs: &[(&str, &str)]) -> Result<Config<()>, Problems> {
    let least = [("BOT_TOKEN", TOKEN), ("WEBHOOK_SECRET", "correct-horse")];
    let map: HashMap<_, _> = least.iter().chain(pairs).copied().collect();
    Config::read(&|name| map.get(name).map(ToString::to_string), Mode::Webhook, &DECLARED)
}

fn config(pairs: &[(&str, &str)]) -> ServerConfig {
    read(pairs).unwrap().server
}

fn hidden(pairs: &[(&str, &str)]) -> Vec<String> {
    let secrets = read(pairs).unwrap().secrets.into_iter();
    secrets.map(|secret| secret.expose_secret().to_owned()).collect()
}

/// The only problem there is.
fn problem(pairs: &[(&str, &str)]) -> String {
    let Problems(mut problems) = read(pairs).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

fn redis_url(config: &ServerConfig) -> &str {
    match &config.store {
        StoreConfig::Redis(redis) => redis.url.expose_secret(),
        other => panic!("{other:?} is not Redis"),
    }
}

#[test]
fn the_least_is_a_token_and_a_secret() {
    let config = config(&[]);
    assert_eq!(config.webhook.listen.to_string(), "0.0.0.0:8080");
    assert_eq!(config.ops.listen.to_string(), "127.0.0.1:9100");
    assert_eq!(config.webhook.path, "/webhook");
    assert_eq!(config.webhook.max_in_flight, 512);
    assert_eq!(threads(&|_| None), 1);
    assert_eq!(config.telegram.api_url, "https://api.telegram.org");
    assert!(matches!(&config.store, StoreConfig::Embedded { dir } if dir.ends_with("data")));
    assert_eq!(config.dialogue.state_ttl, None);
    assert_eq!(config.dialogue.data_ttl, Duration::from_secs(86_400));
    assert_eq!(config.stop.deadline, Duration::from_secs(45));
    assert_eq!(config.log.filter, "info");
}

#[test]
fn every_problem_is_reported_at_once_and_by_name() {
    let source = |name: &str| match name {
        "LISTEN_ADDR" => Some("nowhere".to_owned()),
        "MAX_IN_FLIGHT" => Some("0".to_owned()),
        "STORE" => Some("papyrus".to_owned()),
        "LOG_FORMAT" => Some("xml".to_owned()),
        _ => None,
    };
    let Problems(problems) = Config::<()>::read(&source, Mode::Webhook, &DECLARED).unwrap_err();
    for name in
        ["BOT_TOKEN", "WEBHOOK_SECRET", "LISTEN_ADDR", "MAX_IN_FLIGHT", "STORE", "LOG_FORMAT"]
    {
        assert!(problems.iter().any(|line| line.starts_with(name)), "{name}: {problems:?}");
    }
    assert_eq!(problems.len(), 6, "{problems:?}");
}

#[test]
fn dialogues_are_told_apart_as_is_said() {
    let scope = |extra: &[(&str, &str)]| config(extra).dialogue.scope;
    assert_eq!(scope(&[]), Scope::Chat);
    assert_eq!(scope(&[("DIALOGUE_SCOPE", "chat")]), Scope::Chat);
    assert_eq!(scope(&[("DIALOGUE_SCOPE", "topic")]), Scope::Topic);
}

#[test]
fn each_bad_value_is_refused_by_name() {
    for (name, value) in [
        ("BOT_TOKEN", "token"),
        ("BOT_TOKEN", "12a:bcdef"),
        ("TELEGRAM_API_URL", "api.telegram.org"),
        ("WEBHOOK_URL", "bot.example.org"),
        ("WEBHOOK_URL", "http://bot.example.org/webhook"),
        ("WEBHOOK_URL", "http://127.0.0.1.example.org/"),
        ("WEBHOOK_SECRET", "with space"),
        ("WEBHOOK_SECRET", ","),
        ("WEBHOOK_PATH", "webhook"),
        ("WEBHOOK_PATH", "/health"),
        ("WEBHOOK_PATH", "/{x}"),
        ("OPS_ADDR", "localhost"),
        ("MAX_IN_FLIGHT", "many"),
        ("WORKER_THREADS", "0"),
        ("WORKER_THREADS", "all"),
        ("REDIS_CACHE_DB", "x"),
        ("REDIS_ENABLED", "perhaps"),
        ("DIALOGUE_SCOPE", "world"),
        ("STATE_TTL", "0"),
        ("DATA_TTL", "400d"),
        ("DRAIN_DELAY", "soon"),
        ("RUST_LOG", "steadfast=loud"),
        ("RUST_LOG", "inf"),
        ("RUST_LOG", "info,verbose"),
        ("LOG_TEXTS", "sometimes"),
    ] {
        let line = problem(&[(name, value)]);
        assert!(line.starts_with(name), "{line}");
    }
}

#[test]
fn a_webhook_on_this_machine_needs_no_encryption() {
    for url in [
        "http://127.0.0.1:8080/webhook",
        "http://localhost:8080",
        "http://[::1]/webhook",
        "https://bot.example.org/webhook",
    ] {
        let config = config(&[("WEBHOOK_URL", url)]);
        assert_eq!(config.webhook.url.as_deref(), Some(url));
    }
}

#[test]
fn a_value_of_nothing_counts_as_not_set() {
    let config = config(&[("REDIS_URL", ""), ("OPS_TOKEN", " "), ("STATE_TTL", "")]);
    assert!(matches!(config.store, StoreConfig::Embedded { .. }));
    assert!(config.ops.token.is_none());
}

#[test]
fn times_are_written_in_several_ways() {
    for (text, millis) in [
        ("250ms", 250),
        ("30", 30_000),
        ("30s", 30_000),
        ("15m", 900_000),
        ("1h", 3_600_000),
        ("2d", 172_800_000),
    ] {
        assert_eq!(value::duration(text), Ok(Duration::from_millis(millis)), "{text}");
    }
    for text in [
        "",
        "m",
        "-5",
        "1.5h",
        "5 parsecs",
        "99999999999999999999",
        "18446744073709551615d",
        "18446744073709551615",
        "11000d",
    ] {
        assert!(value::duration(text).is_err(), "{text}");
    }
}

#[test]
fn redis_is_used_when_its_address_is_given() {
    assert_eq!(
        redis_url(&config(&[("REDIS_URL", "redis://cache:6380/2")])),
        "redis://cache:6380/2"
    );
    assert_eq!(redis_url(&config(&[("REDIS_ENABLED", "true")])), "redis://localhost:6379/0");
    let parts = [
        ("REDIS_ENABLED", "1"),
        ("REDIS_HOST", "::1"),
        ("REDIS_PORT", "7000"),
        ("REDIS_PASSWORD", "p@ss/word"),
        ("REDIS_FSM_DB", "3"),
        ("REDIS_CACHE_DB", "4"),
    ];
    assert_eq!(redis_url(&config(&parts)), "redis://:p%40ss%2Fword@[::1]:7000/3");
}

#[test]
fn the_store_may_be_chosen_in_so_many_words() {
    let url = ("REDIS_URL", "redis://localhost");
    assert!(matches!(config(&[("STORE", "memory"), url]).store, StoreConfig::Memory));
    assert!(matches!(config(&[("STORE", "redis"), url]).store, StoreConfig::Redis(_)));
    let switched_off = [("REDIS_ENABLED", "false"), ("REDIS_HOST", "redis")];
    assert!(matches!(config(&switched_off).store, StoreConfig::Embedded { .. }));
}

#[test]
fn contradictions_name_both_variables() {
    let url = ("REDIS_URL", "redis://localhost");
    for (pairs, names) in [
        (vec![url, ("REDIS_HOST", "redis")], ["REDIS_URL", "REDIS_HOST"]),
        (vec![url, ("REDIS_FSM_DB", "1")], ["REDIS_URL", "REDIS_FSM_DB"]),
        (vec![url, ("REDIS_ENABLED", "false")], ["REDIS_URL", "REDIS_ENABLED"]),
        (vec![("STORE", "redis")], ["STORE", "REDIS_URL"]),
        (vec![("STORE", "redis"), ("REDIS_ENABLED", "false")], ["STORE", "REDIS_ENABLED"]),
        (vec![("STORE", "memory"), ("REDIS_ENABLED", "true")], ["STORE", "REDIS_ENABLED"]),
        (vec![("REDIS_HOST", "redis")], ["REDIS_HOST", "REDIS_ENABLED"]),
        (
            vec![("STATE_TTL", "15m"), ("REDIS_FSM_STATE_TTL", "901")],
            ["STATE_TTL", "REDIS_FSM_STATE_TTL"],
        ),
        (vec![("DATA_TTL", "1h"), ("REDIS_FSM_DATA_TTL", "1")], ["DATA_TTL", "REDIS_FSM_DATA_TTL"]),
        (vec![("DRAIN_DELAY", "45s")], ["DRAIN_DELAY", "SHUTDOWN_DEADLINE"]),
        (vec![("BOT_TOKEN_FILE", "/token")], ["BOT_TOKEN", "BOT_TOKEN_FILE"]),
    ] {
        let line = problem(&pairs);
        assert!(names.iter().all(|name| line.contains(name)), "{names:?}: {line}");
    }
}

#[test]
fn older_names_mean_the_same() {
    let older = config(&[("REDIS_FSM_STATE_TTL", "900"), ("REDIS_FSM_DATA_TTL", "3600")]);
    assert_eq!(older.dialogue.state_ttl, Some(Duration::from_secs(900)));
    assert_eq!(older.dialogue.data_ttl, Duration::from_secs(3600));
    let both = config(&[("STATE_TTL", "15m"), ("REDIS_FSM_STATE_TTL", "900")]);
    assert_eq!(both.dialogue.state_ttl, Some(Duration::from_secs(900)));
}

#[test]
fn sentinel_and_cluster_are_said_to_be_missing() {
    for url in ["redis+sentinel://a,b/mymaster", "redis+cluster://a"] {
        assert!(problem(&[("REDIS_URL", url)]).contains("not supported yet"), "{url}");
    }
}

#[test]
fn secrets_come_from_files_too() {
    let dir = tempfile::tempdir().unwrap();
    let (token, empty) = (dir.path().join("token"), dir.path().join("empty"));
    std::fs::write(&token, format!("{TOKEN}\n")).unwrap();
    std::fs::write(&empty, "\n").unwrap();
    let file = |path: &std::path::Path| {
        read(&[("BOT_TOKEN", ""), ("BOT_TOKEN_FILE", path.to_str().unwrap())])
    };
    assert_eq!(file(&token).unwrap().server.telegram.token.expose_secret(), TOKEN);
    for path in [empty, dir.path().join("absent")] {
        assert!(file(&path).unwrap_err().0[0].starts_with("BOT_TOKEN_FILE"));
    }
}

#[test]
fn several_secrets_are_accepted_while_they_are_rotated() {
    let config = config(&[("WEBHOOK_SECRET", "new-one, old_one")]);
    let secrets: Vec<_> = config.webhook.secrets.iter().map(ExposeSecret::expose_secret).collect();
    assert_eq!(secrets, ["new-one", "old_one"]);
}

#[test]
fn secrets_are_never_shown() {
    let secrets = [
        ("BOT_TOKEN", TOKEN),
        ("WEBHOOK_SECRET", "correct-horse"),
        ("OPS_TOKEN", "battery-staple"),
        ("REDIS_URL", "redis://:hunter22@localhost"),
    ];
    let config = config(&secrets);
    let shown = format!("{config:?}");
    for secret in [TOKEN, "correct-horse", "battery-staple", "hunter22"] {
        assert!(!shown.contains(secret), "{shown}");
        assert!(hidden(&secrets).contains(&secret.to_owned()), "{secret}");
    }
    let parts = [("REDIS_ENABLED", "true"), ("REDIS_PASSWORD", "p@ss w0rd%")];
    assert!(hidden(&parts).contains(&"p@ss w0rd%".to_owned()));
    let bad = problem(&[("BOT_TOKEN", "my very secret thing")]);
    assert!(!bad.contains("very secret"), "{bad}");
    let host = ("REDIS_HOST", "redis://:hunter22@localhost");
    let misplaced = problem(&[("REDIS_ENABLED", "true"), host]);
    assert!(misplaced.contains("REDIS_HOST") && !misplaced.contains("hunter22"), "{misplaced}");
}

#[test]
fn records_are_in_a_file_unless_a_database_is_named() {
    let file = |pairs: &[_]| match config(pairs).records {
        Some(Database::Sqlite(path)) => path.display().to_string(),
        _ => panic!("not a file"),
    };
    assert_eq!(file(&[]), "./data/records.db");
    assert_eq!(file(&[("DATA_DIR", "/srv")]), "/srv/records.db");
    assert_eq!(file(&[("DATABASE_URL", "sqlite:///a/b%20c.db")]), "/a/b c.db");
    assert_eq!(file(&[("DATABASE_URL", "sqlite://b.db")]), "b.db");
    for url in ["postgres://anna@db/shop", "postgresql://anna:x@db:5433/shop?sslmode=require"] {
        let Some(Database::Postgres(kept)) = config(&[("DATABASE_URL", url)]).records else {
            panic!("{url}");
        };
        assert_eq!(kept.expose_secret(), url);
    }
}

#[test]
fn a_bad_database_is_refused_without_its_password() {
    for url in [
        "mysql://anna:hunter22@db/shop",
        "anna:hunter22@db/shop",
        "hunter22",
        "postgres://anna:hunter22@db",
        "postgres://anna:hunter22@db:port/shop",
        "postgres://anna:hunter22@db/shop?sslmode=never",
        "sqlite:",
        "sqlite://:memory:",
        "sqlite:///file?mode=hunter22",
    ] {
        let line = problem(&[("DATABASE_URL", url)]);
        assert!(line.starts_with("DATABASE_URL"), "{line}");
        assert!(!line.contains("hunter22"), "{line}");
    }
    for url in
        ["postgres://anna:hunter%2F22@db/shop", "postgres://anna@db/shop?password=hunter%2F22"]
    {
        let config = config(&[("DATABASE_URL", url)]);
        assert!(!format!("{config:?}").contains("hunter"), "{config:?}");
        for shape in ["hunter%2F22", "hunter/22"] {
            assert!(hidden(&[("DATABASE_URL", url)]).contains(&shape.to_owned()));
        }
    }
}

#[test]
fn variable_declared_twice_is_a_fault() {
    const TWICE: &[Role] = &[Role::new("cook"), Role::new("cook")];
    let variables = DECLARED.variables::<Own>();
    assert_eq!(faults(&variables), Vec::<String>::new());
    let twice = Declared { roles: TWICE, ..DECLARED };
    let faults = faults(&twice.variables::<Own>());
    assert_eq!(faults, ["the variable `COOK_IDS` is declared twice: rename one"]);
}

#[test]
fn variables_follow_from_what_the_bot_declares() {
    let names = |declared: Declared| {
        let variables = declared.variables::<Own>();
        variables.into_iter().map(|variable| variable.name.into_owned()).collect::<Vec<_>>()
    };
    let (all, least) = (names(DECLARED), names(Declared::default()));
    for name in ["OWNER_IDS", "DEFAULT_ROLE", "DATABASE_URL", "DATABASE_URL_FILE"] {
        assert!(all.iter().any(|it| it == name), "{name}");
        assert!(!least.iter().any(|it| it == name), "{name}");
    }
    assert!(least.ends_with(&["KITCHEN_KEY".to_owned(), "KITCHEN_KEY_FILE".to_owned()]));
    let source = |name: &str| (name == "BOT_TOKEN").then(|| TOKEN.to_owned());
    let least = Config::<()>::read(&source, Mode::Poll, &Declared::default());
    let least = least.unwrap().server;
    assert!(least.records.is_none() && least.staff == Staff::default());
}

#[test]
fn settings_are_read_with_the_rest_and_their_secrets_are_hidden() {
    let source = |name: &str| (name == "BOT_TOKEN").then(|| "token".to_owned());
    let Problems(problems) = Config::<Own>::read(&source, Mode::Poll, &DECLARED).unwrap_err();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].starts_with("BOT_TOKEN"), "{problems:?}");
    assert!(problems[1].starts_with("KITCHEN_KEY is not set: ask the cook"), "{problems:?}");
    assert!(problems[2].starts_with("OVEN is read and not declared"), "{problems:?}");
    let source = |name: &str| (name == "KITCHEN_KEY").then(|| "butter-and-salt".to_owned());
    let mut env = Env::new(&source, DECLARED.variables::<Own>());
    let key = env.secret("KITCHEN_KEY");
    let (_, secrets) = env.finish(key).unwrap();
    assert!(secrets.iter().any(|one| one.expose_secret() == "butter-and-salt"));
}

#[test]
fn people_have_the_roles_that_are_configured() {
    let staff =
        config(&[("OWNER_IDS", "5001"), ("GUEST_IDS", " 7, 5001 ,,8 "), ("DEFAULT_ROLE", "clerk")])
            .staff;
    assert_eq!(staff.configured("owner").collect::<Vec<_>>(), [5001]);
    assert_eq!(staff.configured("guest").collect::<Vec<_>>(), [7, 8, 5001]);
    assert_eq!(staff.configured("clerk").count(), 0);
    assert_eq!(staff.default.as_deref(), Some("clerk"));
    assert!(problem(&[("CLERK_IDS", "@ann")]).starts_with("CLERK_IDS"));
    assert!(problem(&[("CLERK_IDS", "-100500")]).contains("5001,5002"));
    assert!(problem(&[("DEFAULT_ROLE", "king")]).contains("owner, editor"));
}

/// What is said about it though it works.
fn advice(pairs: &[(&str, &str)]) -> Vec<String> {
    let advice = config(pairs).advice();
    advice.into_iter().map(|finding| finding.advice).collect()
}

const STRONG: (&str, &str) = ("WEBHOOK_SECRET", "b1946ac92492d2347c6235b4d2611184");

#[test]
fn a_secret_that_can_be_guessed_is_named_as_unsafe() {
    for weak in [
        "correct-horse",
        "changeme-changeme",
        "your-webhook-secret",
        "aaaaaaaaaaaaaaaaaaaaaaaa",
        "b1946ac92492d2347c6235b4d2611184,short",
    ] {
        let said = advice(&[("WEBHOOK_SECRET", weak)]);
        assert!(said[0].starts_with("WEBHOOK_SECRET"), "{weak}: {said:?}");
        assert!(said[0].contains("openssl rand") && !said[0].contains(weak));
    }
    assert_eq!(advice(&[STRONG]), Vec::<String>::new());
}

#[test]
fn a_secret_that_telegram_refuses_is_an_error() {
    let longest = "Az0_-".repeat(51) + "Z";
    config(&[("WEBHOOK_SECRET", &longest)]);
    for refused in [&*(longest.clone() + "Z"), "with space", "umläut", "semi;colon"] {
        let line = problem(&[("WEBHOOK_SECRET", refused)]);
        assert!(line.starts_with("WEBHOOK_SECRET"), "{line}");
        assert!(line.contains("1 to 256 of A-Z a-z 0-9 _ -"), "{line}");
        assert!(!line.contains(refused), "{line}");
    }
}

#[test]
fn an_address_that_leads_past_the_webhook_is_told() {
    for (url, path) in [
        ("https://bot.example.org/other", "/webhook"),
        ("https://bot.example.org", "/webhook"),
        ("https://bot.example.org/webhook/", "/webhook"),
        ("https://bot.example.org/webhook?a=/hook", "/hook"),
    ] {
        let said = advice(&[STRONG, ("WEBHOOK_URL", url), ("WEBHOOK_PATH", path)]).join("\n");
        assert!(said.starts_with("WEBHOOK_URL leads to /"), "{url}: {said}");
        assert!(said.contains(path), "{url}: {said}");
    }
    for (url, path) in [
        ("https://bot.example.org/webhook", "/webhook"),
        ("https://bot.example.org:8443/a/b?c=/d", "/a/b"),
    ] {
        let said = advice(&[STRONG, ("WEBHOOK_URL", url), ("WEBHOOK_PATH", path)]);
        assert_eq!(said, Vec::<String>::new(), "{url}");
    }
}

#[test]
fn a_redis_that_is_named_and_not_used_is_told() {
    for store in ["memory", "embedded"] {
        let url = ("REDIS_URL", "redis://:hunter22@localhost");
        let said = advice(&[STRONG, ("STORE", store), url]).join("\n");
        assert!(said.starts_with("REDIS_URL is set and not used"), "{said}");
        assert!(said.contains(&format!("STORE={store}")), "{said}");
        assert!(said.contains("STORE=redis") && !said.contains("hunter22"));
    }
    let switched_off = [STRONG, ("REDIS_ENABLED", "false"), ("REDIS_HOST", "redis")];
    assert_eq!(advice(&switched_off), Vec::<String>::new());
    assert_eq!(advice(&[STRONG, ("REDIS_URL", "redis://x")]), Vec::<String>::new());
}

#[test]
fn a_port_is_told_by_name_with_the_fix() {
    for port in ["x", "0", "70000", "-1"] {
        let line = problem(&[("REDIS_ENABLED", "true"), ("REDIS_PORT", port)]);
        let expected =
            format!("REDIS_PORT is `{port}`: expected a port from 1 to 65535, such as `6379`");
        assert_eq!(line, expected);
    }
}
