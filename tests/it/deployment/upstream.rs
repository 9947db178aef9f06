//! nginx and the replicas behind it: connections that are kept, replicas that fall silent, and peers who want too much.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::support::edge::{Edge, Files};
use crate::support::http::{self, Answer};
use crate::support::patience::{all_at_once, until};
use crate::support::updates::{Update, post, someone};

use super::edge::{alone, deliver, deliver_over_tls, open_to_anyone, stand_in};

const SERVER: &str = "steadfast/server.conf";
const HTTP: &str = "steadfast/http.conf";

/// As many as are posted to see whether connections are kept.
const POSTS: usize = 20;

/// Half of what nginx gives a peer who was given no other limit.
const PATIENCE: Duration = Duration::from_secs(30);

/// A replica in whose place somebody counts the connections.
struct Turnstile {
    address: SocketAddr,
    passed: Arc<AtomicUsize>,
}

impl Turnstile {
    /// What comes is led to the replica there.
    async fn before(replica: SocketAddr) -> Self {
        Self::open(Some(replica)).await
    }

    /// Nobody is there: what comes is never answered.
    async fn before_nobody() -> Self {
        Self::open(None).await
    }

    fn passed(&self) -> usize {
        self.passed.load(Ordering::Relaxed)
    }

    async fn open(replica: Option<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let passed = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&passed);
        tokio::spawn(async move {
            while let Ok((peer, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(pass(peer, replica));
            }
        });
        Self { address, passed }
    }
}

async fn pass(mut peer: TcpStream, replica: Option<SocketAddr>) {
    match replica {
        Some(replica) => {
            let mut replica = TcpStream::connect(replica).await.expect("a replica");
            let _ = tokio::io::copy_bidirectional(&mut peer, &mut replica).await;
        }
        None => {
            let _ = tokio::io::copy(&mut peer, &mut tokio::io::sink()).await;
        }
    }
}

/// Each worker of nginx keeps its own; there are two.
#[tokio::test]
async fn connections_to_a_replica_are_kept() {
    let (_api, server) = alone().await;
    let turnstile = Turnstile::before(server.webhook()).await;
    let edge = Edge::before(&[turnstile.address]).await;
    for _ in 0..POSTS {
        assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
    }
    assert_kept(&turnstile);
}

/// Each worker keeps its own here too, so there are two instead of one per core.
#[tokio::test]
async fn connections_to_a_replica_are_kept_where_it_is_deployed() {
    let (_api, server) = alone().await;
    let turnstile = Turnstile::before(server.webhook()).await;
    let (auto, two) = ("worker_processes auto;", "worker_processes 2;");
    let files = open_to_anyone(&[turnstile.address]).with("nginx.conf", auto, two);
    let edge = Arc::new(Edge::start(files).await);
    for _ in 0..POSTS {
        let edge = Arc::clone(&edge);
        // What counts the connections has to go on meanwhile.
        let posted = spawn_blocking(move || deliver_over_tls(&edge, &[]));
        assert_eq!(posted.await.expect("curl"), "200");
    }
    assert_kept(&turnstile);
}

fn assert_kept(turnstile: &Turnstile) {
    let passed = turnstile.passed();
    assert!((1..POSTS / 2).contains(&passed), "{passed} connections");
}

/// Otherwise nginx would now and then send an update into a connection that is being closed.
#[test]
fn it_is_nginx_that_closes_an_idle_connection() {
    let idle = steadfast::server::http::Limits::default().idle;
    for path in ["nginx/local.conf", "nginx/steadfast/replicas.conf"] {
        let text = fs::read_to_string(path).expect(path);
        let (_, upstream) = text.split_once("upstream bot {").expect(path);
        let (_, kept) = upstream.split_once("keepalive_timeout ").expect(path);
        let (seconds, _) = kept.split_once("s;").expect(path);
        let kept = Duration::from_secs(seconds.parse().expect("seconds"));
        assert!(kept < idle, "{path}: {kept:?}, the replica {idle:?}");
    }
}

/// A slow peer holds nothing up for long, and whoever waits in vain hears so from the bot, not from nginx.
#[test]
fn slow_requests_are_given_up_in_time() {
    let limits = steadfast::intake::webhook::Limits::default();
    let header = steadfast::server::http::Limits::default().header;
    assert_eq!([header, limits.body_time], [Duration::from_secs(5); 2]);
    let path = "nginx/steadfast/server.conf";
    let text = fs::read_to_string(path).expect(path);
    let (_, waits) = text.split_once("proxy_read_timeout ").expect(path);
    let (seconds, _) = waits.split_once("s;").expect(path);
    let waits = Duration::from_secs(seconds.parse().expect("seconds"));
    assert!(limits.turn_time < waits && waits < limits.request_age);
}

#[tokio::test]
async fn a_replica_that_is_well_again_gets_the_very_next_update() {
    let is_well = Arc::new(AtomicBool::new(false));
    let mut replicas = Vec::new();
    for place in 0..3 {
        let is_well = Arc::clone(&is_well);
        let answer = move |_| match place == 2 && is_well.load(Ordering::Relaxed) {
            true => StatusCode::OK,
            false => StatusCode::SERVICE_UNAVAILABLE,
        };
        replicas.push(stand_in(answer).await);
    }
    let edge = Edge::before(&replicas).await;
    for _ in 0..3 {
        assert_eq!(deliver(&edge, &Update::photo(someone())).await, 503);
    }
    is_well.store(true, Ordering::Relaxed);
    assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
}

/// And so does the one after it: who hangs is not skipped.
#[tokio::test]
async fn an_update_that_a_replica_never_answers_goes_to_the_next_one() {
    let (_api, server) = alone().await;
    let silent = Turnstile::before_nobody().await;
    let files = hasty(&[silent.address, server.webhook()]);
    let edge = Edge::start(files).await;
    for _ in 0..4 {
        assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
    }
    assert!(silent.passed() >= 2, "the silent one was skipped");
    edge.until_logged("504, 200").await;
}

#[tokio::test]
async fn when_no_replica_answers_telegram_is_asked_to_come_again_in_a_second() {
    let silent = Turnstile::before_nobody().await;
    let edge = Edge::start(hasty(&[silent.address])).await;
    let answer = post(edge.address(), &Update::photo(someone())).await;
    assert_later(&answer.expect("an answer"));
    edge.until_logged("\"upstream_status\":\"504").await;
}

/// Its queue is full, so that the kernel takes no notice of who comes next. nginx, left to itself, would wait for a minute, and then
/// it is too late for another replica.
#[tokio::test]
async fn a_replica_that_does_not_even_take_a_connection_is_passed_over() {
    let (_api, server) = alone().await;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let full = socket.listen(0).expect("a listener");
    let address = full.local_addr().expect("its address");
    let mut waiting = Vec::new();
    while let Ok(taken) = timeout(Duration::from_secs(1), TcpStream::connect(address)).await {
        waiting.push(taken.expect("a place"));
    }
    let (usual, short) = ("proxy_next_upstream_timeout 20s;", "proxy_next_upstream_timeout 5s;");
    let files = Files::local(&[address, server.webhook()]).with(SERVER, usual, short);
    let edge = Edge::start(files).await;
    for _ in 0..4 {
        assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
    }
    edge.until_logged("504, 200").await;
}

#[tokio::test]
async fn no_update_is_passed_on_more_often_or_for_longer_than_it_may() {
    for (usual, less, tries) in [
        ("upstream_tries 3;", "upstream_tries 2;", 2),
        ("upstream_timeout 20s;", "upstream_timeout 100ms;", 1),
    ] {
        let silent = [
            Turnstile::before_nobody().await,
            Turnstile::before_nobody().await,
            Turnstile::before_nobody().await,
        ];
        let files = hasty(&silent.each_ref().map(|it| it.address)).with(SERVER, usual, less);
        let edge = Edge::start(files).await;
        let answer = post(edge.address(), &Update::photo(someone())).await;
        assert_later(&answer.expect("an answer"));
        let passed = || silent.iter().map(Turnstile::passed).sum::<usize>();
        until("all are counted", async || (passed() >= tries).then_some(())).await;
        assert_eq!(passed(), tries, "{less}");
    }
}

/// It is worked on to its end, so that what Telegram delivers again meets a finished update.
#[tokio::test]
async fn the_work_goes_on_though_telegram_hangs_up() {
    const A_WHILE: Duration = Duration::from_secs(1);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let edge = Edge::before(&[listener.local_addr().expect("its address")]).await;
    let mut peer = TcpStream::connect(edge.address()).await.expect("nginx");
    let body = "the whole of it";
    let length = body.len();
    let request =
        format!("POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}");
    peer.write_all(request.as_bytes()).await.expect("a request");
    let (mut replica, _) = listener.accept().await.expect("nginx comes");
    let mut heard = Vec::new();
    while !heard.ends_with(body.as_bytes()) {
        assert_ne!(replica.read_buf(&mut heard).await.expect("a request"), 0);
    }
    drop(peer);
    let left = timeout(A_WHILE, replica.read_buf(&mut heard)).await;
    assert!(left.is_err(), "nginx hung up too: {left:?}");
}

/// By itself nginx would end it after a thousand.
#[tokio::test]
async fn telegram_may_use_a_connection_for_long() {
    let edge = Edge::before(&[stand_in(|_| StatusCode::OK).await]).await;
    let stream = TcpStream::connect(edge.address()).await.expect("nginx");
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.expect("a connection");
    tokio::spawn(connection);
    for count in 1..=1100 {
        let request = Request::post("/webhook").header("host", "x");
        let request = request.body(Full::<Bytes>::from("{}")).expect("a request");
        let answer = sender.send_request(request).await;
        let answer = answer.unwrap_or_else(|error| panic!("request {count}: {error}"));
        assert_eq!(answer.status(), StatusCode::OK);
        answer.collect().await.expect("its end");
    }
}

/// With less patience for replicas than is deployed.
fn hasty(replicas: &[SocketAddr]) -> Files {
    let (usual, short) = ("proxy_read_timeout 15s;", "proxy_read_timeout 300ms;");
    Files::local(replicas).with(SERVER, usual, short)
}

fn assert_later(answer: &Answer) {
    assert_eq!((answer.status, answer.header("retry-after")), (503, "1"));
}

#[tokio::test]
async fn who_takes_too_long_to_ask_is_not_waited_for() {
    let (_api, server) = alone().await;
    let files = ["client_header_timeout", "client_body_timeout"]
        .into_iter()
        .fold(Files::local(&[server.webhook()]), |files, limit| {
            files.with(HTTP, &format!("{limit} 5s;"), &format!("{limit} 300ms;"))
        });
    let edge = Edge::start(files).await;
    let header = "POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let body = format!("{header}Content-Length: 100\r\n\r\n{{");
    for begun in [header, &body] {
        let mut peer = TcpStream::connect(edge.address()).await.expect("nginx");
        peer.write_all(begun.as_bytes()).await.expect("a beginning");
        let mut said = Vec::new();
        let ended = timeout(PATIENCE, peer.read_to_end(&mut said)).await;
        assert!(ended.is_ok(), "nginx still waits for the rest of {begun:?}");
    }
}

#[tokio::test]
async fn who_looks_around_is_slowed_down_and_telegram_is_not() {
    let (_api, server) = alone().await;
    let edge = Edge::before(&[server.webhook()]).await;
    let looks = (0..100).map(|_| http::get(edge.address(), "/"));
    let looked = all_at_once(looks).await.into_iter();
    let statuses: Vec<u16> = looked.map(|it| it.expect("an answer").status).collect();
    for status in [404, 429] {
        assert!(statuses.contains(&status), "no {status}: {statuses:?}");
    }
    let people: Vec<Update> = (0..40).map(|_| Update::photo(someone())).collect();
    let posted = all_at_once(people.iter().map(|update| deliver(&edge, update))).await;
    assert_eq!(posted, [200; 40]);
}

#[tokio::test]
async fn who_wants_more_at_once_than_telegram_ever_does_is_asked_to_come_again() {
    let silent = Turnstile::before_nobody().await;
    let (usual, two) = ("limit_conn posting 200;", "limit_conn posting 2;");
    let files = Files::local(&[silent.address]).with(SERVER, usual, two);
    let edge = Edge::start(files).await;
    let held = [Update::photo(someone()), Update::photo(someone())];
    let both = all_at_once(held.iter().map(|update| deliver(&edge, update)));
    let third = async {
        until("both are on their way", async || (silent.passed() == 2).then_some(())).await;
        let answer = post(edge.address(), &Update::photo(someone())).await;
        assert_later(&answer.expect("an answer"));
        assert_eq!(silent.passed(), 2, "the third was passed on");
    };
    tokio::select! {
        () = third => {}
        statuses = both => panic!("nobody was to answer, and {statuses:?} came"),
    }
}
