//! From start to stop: the server in this process, and the binary as a service manager sees it.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::routing::{any, get};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use steadfast::bot::Build;
use steadfast::config::{Config, Declared, Mode};
use steadfast::intake::update::UpdateParser;
use steadfast::outbox::telegram::Telegram;
use steadfast::replica::Peers;
use steadfast::server::{self, App, ExtraRoutes, Listeners, Parts, Server, Worker};
use steadfast::store::Memory;
use steadfast::telemetry;
use steadfast::turn::{OutcomeKind, Pipeline};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};

use crate::support::door::{SECRET, Visitor, head, message, moved, silent_outbox};
use crate::support::patience::until;

const TOKEN: &str = "123456:AAF-abcdefghijklmnopqrstuvwxyz_0123";

/// A server on free ports, its file in `dir`; nothing it says leaves the machine.
fn variables(dir: &Path) -> HashMap<&'static str, String> {
    [
        ("BOT_TOKEN", TOKEN),
        ("WEBHOOK_SECRET", SECRET),
        ("TELEGRAM_API_URL", "http://127.0.0.1:9"),
        ("LISTEN_ADDR", "127.0.0.1:0"),
        ("OPS_ADDR", "127.0.0.1:0"),
        ("STORE", "embedded"),
        ("DATA_DIR", dir.to_str().unwrap()),
        ("DRAIN_DELAY", "0"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}

async fn visitor(address: std::net::SocketAddr) -> Visitor {
    Visitor(TcpStream::connect(address).await.unwrap())
}

async fn status(address: std::net::SocketAddr, path: &str) -> u16 {
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n");
    visitor(address).await.ask(&head, b"").await.status
}

/// A bot whose turns wait at a gate, and which tells what it finishes.
fn bot(gate: &Arc<Semaphore>, told: &mpsc::UnboundedSender<&'static str>) -> Server {
    let (gate, turn, worker) = (Arc::clone(gate), told.clone(), told.clone());
    let pipeline = Pipeline::new(tower::service_fn(move |_| {
        let (gate, told) = (Arc::clone(&gate), turn.clone());
        async move {
            let _ = told.send("turn begun");
            gate.acquire().await.unwrap().forget();
            let _ = told.send("turn done");
            Ok(moved(OutcomeKind::Applied, ""))
        }
    }));
    let worker = Worker::new("worker", async move |stop| {
        stop.cancelled().await;
        let _ = worker.send("worker done");
    });
    Server {
        telegram: Telegram::new("http://127.0.0.1:9", &"1:abc".into()),
        reader: UpdateParser::default(),
        outbox: silent_outbox(Arc::new(Memory::new())),
        pipeline,
        peers: Peers::default(),
        workers: vec![worker],
        states: BTreeSet::new(),
        build: Build { about: "", name: "tried", version: "1.2.3" },
    }
}

/// Routes of the bot's author.
fn extra_routes() -> ExtraRoutes {
    let fails = async || -> &'static str { panic!("a handler") };
    ExtraRoutes {
        public: Router::new().route("/hello", any(async || "hello")).route("/fails", get(fails)),
        operator: Router::new()
            .route("/report", get(async || "a report"))
            .fallback(async || "for everybody"),
    }
}

#[tokio::test]
async fn the_server_stops_in_order_and_finishes_what_it_has_begun() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    // An address of its own: a port that is given up may be somebody else's at once.
    for name in ["LISTEN_ADDR", "OPS_ADDR"] {
        variables.insert(name, "127.0.0.78:0".to_owned());
    }
    let source = |name: &str| variables.get(name).cloned();
    let config = Config::<()>::read(&source, Mode::Webhook, &Declared::default());
    let config = config.unwrap().server;
    let (gate, (tell, mut told)) = (Arc::new(Semaphore::new(0)), mpsc::unbounded_channel());
    let opened = server::open(&config).await.unwrap();
    let store = Arc::clone(&opened.store);
    let parts = Parts {
        listeners: Listeners::bind(&config).await.unwrap(),
        store: opened,
        server: bot(&gate, &tell),
        routes: extra_routes(),
        records: None,
        metrics: telemetry::recorder().unwrap().handle(),
    };
    let app = App::start(&config, parts).await.unwrap();
    let (door, desk) = (app.webhook_address(), app.ops_address());
    for (address, path, expected) in [
        (door, "/health", 200),
        (desk, "/health", 200),
        (desk, "/readyz", 200),
        (desk, "/metrics", 200),
        (door, "/metrics", 404),
        (door, "/dialogues", 404),
        (door, "/hello", 200),
        (door, "/fails", 500),
        (door, "/report", 404),
        (desk, "/report", 200),
        (desk, "/hello", 404),
        (desk, "/elsewhere", 404),
    ] {
        assert_eq!(status(address, path).await, expected, "{path}");
    }
    let foreign = "GET /report HTTP/1.1\r\nHost: bot.example\r\n";
    assert_eq!(visitor(desk).await.ask(foreign, b"").await.status, 403);
    for path in ["/hello", "/webhook"] {
        let large = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             X-Telegram-Bot-Api-Secret-Token: {SECRET}\r\nContent-Length: 2000000\r\n\r\n"
        );
        let mut large_body = visitor(door).await;
        large_body.send(large).await;
        assert_eq!(large_body.reply().await.status, 413, "{path}");
    }
    let body = message(1);
    let mut busy = visitor(door).await;
    busy.send(format!("{}Content-Length: {}\r\n\r\n{body}", head(SECRET), body.len())).await;
    assert_eq!(told.recv().await, Some("turn begun"));
    let stopping = tokio::spawn(app.stop());
    while status(desk, "/readyz").await == 200 {
        tokio::task::yield_now().await;
    }
    assert_eq!(status(desk, "/livez").await, 200);
    gate.add_permits(1);
    assert_eq!(busy.reply().await.status, 200);
    stopping.await.unwrap();
    assert_eq!(told.recv().await, Some("turn done"));
    assert_eq!(told.recv().await, Some("worker done"));
    assert!(store.ping().await.is_err(), "the store is closed");
    for address in [door, desk] {
        // What another test has just forked holds the sockets as well, until it becomes another program.
        until(format!("{address} is closed"), async || {
            TcpStream::connect(address).await.is_err().then_some(())
        })
        .await;
    }
}

/// The binary, in an environment of its own.
fn steadfast(arguments: &[&str], variables: &HashMap<&str, String>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.args(arguments).env_clear().envs(variables).current_dir(std::env::temp_dir());
    command
}

fn run(arguments: &[&str], variables: &HashMap<&str, String>) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = steadfast(arguments, variables).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A started server and its log.
struct Served {
    process: Child,
    log: BufReader<ChildStderr>,
    said: String,
}

impl Served {
    fn start(variables: &HashMap<&str, String>) -> Self {
        let mut process = steadfast(&["serve"], variables).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(process.stderr.take().unwrap());
        Self { process, log, said: String::new() }
    }

    /// Reads the log up to a line with this, and answers the line.
    fn until(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.log.read_line(&mut line).unwrap();
            assert!(read > 0, "the log ended without `{word}`:\n{}", self.said);
            self.said += &line;
            if line.contains(word) {
                return line;
            }
        }
    }

    fn signal(&self) {
        let pid = Pid::from_raw(self.process.id().cast_signed());
        kill(pid, Signal::SIGTERM).unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_wrong_configuration_is_told_by_name_with_exit_code_2() {
    for command in ["serve", "check"] {
        let (code, _, said) = run(&[command], &HashMap::new());
        assert_eq!(code, Some(2), "{command}");
        assert!(said.lines().all(|line| line.starts_with("error: ")), "{said}");
        assert!(said.contains("BOT_TOKEN") && said.contains("WEBHOOK_SECRET"), "{said}");
    }
}

/// What stands below the broken line may be the address of Redis: without it the server would begin with an empty file.
#[test]
fn a_broken_env_file_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file =
        "BOT_TOKEN=1:abc\nWEBHOOK_SECRET=geheim\nTITLE=a b c\nREDIS_URL=redis://127.0.0.1:9\n";
    std::fs::write(place.path().join(".env"), file).unwrap();
    let mut command = steadfast(&["check"], &HashMap::new());
    let Output { status, stderr, .. } = command.current_dir(&place).output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains(".env") && !said.contains("a b c"), "{said}");
}

#[test]
fn what_stands_in_an_env_file_counts_unless_the_environment_says_otherwise() {
    let place = tempfile::tempdir().unwrap();
    let secret = "a".repeat(40);
    let file = format!("BOT_TOKEN=1:abc\nWEBHOOK_SECRET={secret}\nSTORE=memory\n");
    std::fs::write(place.path().join(".env"), file).unwrap();
    let check = |environment: HashMap<_, _>| {
        let mut command = steadfast(&["check"], &environment);
        let output = command.current_dir(&place).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = check(HashMap::new());
    assert!(said.contains("store: memory answers"), "{said}");
    let said = check(HashMap::from([("STORE", "embedded".to_owned())]));
    assert!(said.contains("store: embedded answers"), "{said}");
}

#[test]
fn commands_that_need_a_server_say_so_when_none_runs() {
    let nowhere = HashMap::from([("OPS_ADDR", "127.0.0.1:9".to_owned())]);
    for command in [&["health"][..], &["dialogues", "list"], &["dialogues", "reset", "-5:7"]] {
        let (code, _, said) = run(command, &nowhere);
        assert_eq!(code, Some(1), "{command:?}");
        assert!(
            said.contains("no server answers at 127.0.0.1:9") && said.lines().count() == 1,
            "{said}"
        );
    }
}

/// Whoever is told to go on with an id expects that it helps.
#[test]
fn a_broadcast_that_can_never_be_is_refused_before_it_has_a_name() {
    let nowhere = HashMap::from([("OPS_ADDR", "127.0.0.1:9".to_owned())]);
    let long = "x".repeat(5000);
    for (words, reason) in [
        (&["--all", " "][..], "needs a text"),
        (&["--all", &long], "at most 4096 characters"),
        (&["--all", "--id", "a b", "hello"], "the id of a broadcast"),
    ] {
        let (code, printed, said) = run(&[&["broadcast"], words].concat(), &nowhere);
        assert_eq!((code, &*printed), (Some(1), ""), "{reason}");
        assert!(said.contains(reason) && !said.contains("go on"), "{said}");
    }
}

#[test]
fn what_people_wrote_is_in_files_for_this_user_alone() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("data");
    let mut served = Served::start(&variables(&dir));
    served.until("started");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    let files = std::fs::read_dir(&dir).unwrap().map(|it| it.unwrap().path());
    for file in files.filter(|it| it.extension().is_none_or(|end| end != "lock")) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn check_tells_a_safe_setup_from_an_unsafe_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    assert_eq!(run(&["check"], &variables).0, Some(0));
    variables.insert("STORE", "memory".into());
    let (code, said, _) = run(&["check"], &variables);
    assert_eq!(code, Some(1));
    assert!(said.contains("warning"), "{said}");
}

#[test]
fn who_polls_needs_no_secret_for_a_check() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    variables.remove("WEBHOOK_SECRET");
    let (code, said, _) = run(&["check", "--poll"], &variables);
    assert_eq!(code, Some(0), "{said}");
    let (code, _, said) = run(&["check"], &variables);
    assert_eq!(code, Some(2));
    assert!(said.contains("WEBHOOK_SECRET"), "{said}");
}

#[test]
fn a_signal_stops_the_server_with_exit_code_0_and_a_restart_follows_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let variables = variables(dir.path());
    for _ in 0..2 {
        let mut served = Served::start(&variables);
        let started = served.until("started");
        let ops = started.split("ops=").nth(1).unwrap().split(' ').next().unwrap();
        let asking = HashMap::from([("OPS_ADDR", ops.to_owned())]);
        let (code, said, _) = run(&["health"], &asking);
        assert_eq!(code, Some(0), "{said}");
        let (code, said, _) = run(&["dialogues", "list"], &asking);
        assert_eq!((code, said.starts_with("DIALOGUE")), (Some(0), true), "{said}");
        served.signal();
        served.until("stopped");
        assert_eq!(served.process.wait().unwrap().code(), Some(0));
        assert!(!served.said.contains(TOKEN) && !served.said.contains(SECRET), "{}", served.said);
    }
}

#[test]
fn without_redis_the_server_fails_or_starts_degraded_as_it_was_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    variables.remove("STORE");
    variables.insert("REDIS_URL", "redis://:hunter2hunter2@127.0.0.1:9".into());
    let (code, _, said) = run(&["serve"], &variables);
    assert_eq!(code, Some(1));
    assert!(said.contains("REDIS_URL") && !said.contains("hunter2"), "{said}");
    variables.insert("STORE_FALLBACK", "memory".into());
    let mut served = Served::start(&variables);
    served.until("DEGRADED");
    let started = served.until("started");
    let ops = started.split("ops=").nth(1).unwrap().split(' ').next().unwrap();
    let (code, said, _) = run(&["health"], &HashMap::from([("OPS_ADDR", ops.to_owned())]));
    assert_eq!(code, Some(0));
    assert!(said.contains(r#""status":"degraded""#), "{said}");
}

/// Each would begin with an empty memory, and the bot would be split in two.
#[test]
fn without_redis_nothing_stands_in_where_other_replicas_were_seen() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    variables.remove("STORE");
    variables.insert("REDIS_URL", "redis://127.0.0.1:9".into());
    variables.insert("STORE_FALLBACK", "memory".into());
    let seen = dir.path().join("other-replicas-seen");
    std::fs::write(&seen, "").unwrap();
    let (code, _, said) = run(&["serve"], &variables);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("STORE_FALLBACK") && said.contains(&*seen.to_string_lossy()), "{said}");
}

/// Whoever reads the log may hang, such as a terminal that was stopped.
#[tokio::test]
async fn a_log_that_nobody_reads_holds_up_neither_updates_nor_a_second_signal() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    variables.insert("STORE", "memory".into());
    variables.insert("DRAIN_DELAY", "40s".into());
    let mut served = Served::start(&variables);
    let started = served.until("started");
    let at = |name: &str| {
        let rest = started.split(name).nth(1).expect("an address");
        let address = rest.split_whitespace().next().unwrap_or_default();
        address.parse().expect("an address")
    };
    let (webhook, ops) = (at("webhook="), at("ops="));
    let mut visitor = visitor(webhook).await;
    // Each is warned of, which is more than the pipe and the log have room for.
    let junk = format!("{}Content-Length: 9\r\n\r\nno update", head(SECRET));
    for _ in 0..4000 {
        visitor.send(&junk).await;
        assert_eq!(visitor.reply().await.status, 200);
    }
    assert_eq!(status(ops, "/livez").await, 200);
    served.signal();
    while status(ops, "/readyz").await == 200 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    served.signal();
    assert_eq!(served.process.wait().unwrap().code(), Some(143));
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut variables = variables(dir.path());
    variables.insert("DRAIN_DELAY", "40s".into());
    let mut served = Served::start(&variables);
    served.until("started");
    served.signal();
    served.until("still serving");
    served.signal();
    assert_eq!(served.process.wait().unwrap().code(), Some(143));
}
