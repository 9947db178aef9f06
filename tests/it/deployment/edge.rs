//! nginx before real servers: what passes, what does not, and what becomes of the rest.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::any;
use hyper::Method;
use tokio::net::TcpListener;

use crate::support::bot_api::BotApi;
use crate::support::deaf_proxy::{DeafProxy, Loses};
use crate::support::edge::{Edge, Files};
use crate::support::http;
use crate::support::patience::{all_at_once, until};
use crate::support::port::Port;
use crate::support::server::{SECRET, Server, Setup};
use crate::support::updates::{Update, post, someone};
use crate::support::world::{ASKED, World};

const REQUESTS: &str = "steadfast_webhook_requests_total";

/// Nobody listens here.
fn nobody() -> SocketAddr {
    ([127, 0, 0, 1], Port::hold_for_good()).into()
}

pub(super) async fn alone() -> (BotApi, Server) {
    let api = BotApi::start();
    let server = Setup::memory(&api).start().await;
    (api, server)
}

/// Posts an update as Telegram does; answers the status.
pub(super) async fn deliver(edge: &Edge, update: &Update) -> u16 {
    let answer = post(edge.address(), update).await;
    answer.expect("nginx answers").status
}

#[test]
fn nginx_could_start_with_either_variant() {
    let replicas = [nobody(), nobody(), nobody()];
    for files in [Files::local(&replicas), Files::deployed(&replicas)] {
        assert_eq!(files.test(), Ok(()));
    }
    let broken = Files::local(&replicas).with("steadfast/server.conf", "proxy_pass", "proxy_past");
    assert!(broken.test().is_err());
}

#[tokio::test]
async fn the_webhook_and_a_bare_health_pass() {
    let (api, server) = alone().await;
    let edge = Edge::before(&[server.webhook()]).await;
    let user = someone();
    assert_eq!(deliver(&edge, &Update::photo(user)).await, 200);
    api.until_said(user, ASKED).await;
    let health = http::get(edge.address(), "/health").await.expect("health");
    assert_eq!((health.status, health.body.as_str()), (204, ""));
    for verb in [Method::GET, Method::PUT, Method::DELETE] {
        let answer = http::ask(edge.address(), verb, "/webhook").await;
        assert_eq!(answer.expect("an answer").status, 405);
    }
    let refused = server.metrics().await.sum(REQUESTS, &["bad_input"]);
    assert_eq!(refused, 0.0, "the bot was asked what only nginx should be");
    edge.until_logged("\"place\":\"webhook\"").await;
}

/// Before something that would answer everything.
#[tokio::test]
async fn nothing_else_passes() {
    let edge = Edge::before(&[stand_in(|_| StatusCode::OK).await]).await;
    assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
    for path in [
        "/",
        "/metrics",
        "/dialogues",
        "/dead-letters",
        "/livez",
        "/readyz",
        "/servingz",
        "/ready",
        "/webhook/",
        "/health/x",
        "/../metrics",
    ] {
        let status = edge.status(path).await;
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
}

#[tokio::test]
async fn who_has_no_secret_is_refused_by_the_bot_itself() {
    let (_api, server) = alone().await;
    let edge = Edge::before(&[server.webhook()]).await;
    let body = Update::photo(someone()).body();
    let answer = http::post(edge.address(), "/webhook", &[], body).await;
    assert_eq!(answer.expect("an answer").status, 401);
}

#[tokio::test]
async fn a_body_may_be_as_large_as_telegrams_largest_and_no_larger_than_a_mebibyte() {
    let (_api, server) = alone().await;
    let edge = Edge::before(&[server.webhook()]).await;
    let sized = |bytes| Update::text(someone(), &"x".repeat(bytes));
    assert_eq!(deliver(&edge, &sized(512 * 1024)).await, 200);
    assert_eq!(deliver(&edge, &sized(1024 * 1024)).await, 413);
    // nginx itself, before somebody who would take more than the bot does.
    let edge = Edge::before(&[stand_in(|_| StatusCode::OK).await]).await;
    assert_eq!(deliver(&edge, &sized(512 * 1024)).await, 200);
    assert_eq!(deliver(&edge, &sized(1024 * 1024)).await, 413);
}

#[tokio::test]
async fn a_replica_that_is_killed_in_the_middle_of_requests_costs_telegram_nothing() {
    let mut world = World::two().await;
    let edge = Edge::before(&doors(&world)).await;
    let people: Vec<i64> = (0..6).map(|_| someone()).collect();
    let updates: Vec<Update> = people.iter().map(|user| Update::photo(*user)).collect();
    let refused = refused_by_a_kill(&mut world, &edge, &updates).await;
    assert!(refused.is_empty(), "{refused:?}");
    edge.until_logged("502, 200").await;
    for user in people {
        assert_eq!(world.api.until_sent(user, 1).await.len(), 1);
    }
}

/// What `non_idempotent` is for: the same without it.
#[tokio::test]
async fn where_no_post_may_be_passed_on_a_killed_replica_costs_a_redelivery() {
    let mut world = World::two().await;
    let files = Files::local(&doors(&world));
    let files = files.with("steadfast/server.conf", " non_idempotent", "");
    let edge = Edge::start(files).await;
    let people: Vec<i64> = (0..6).map(|_| someone()).collect();
    let updates: Vec<Update> = people.iter().map(|user| Update::photo(*user)).collect();
    let refused = refused_by_a_kill(&mut world, &edge, &updates).await;
    assert!(!refused.is_empty(), "every one was passed on");
    for (update, status) in refused {
        assert_eq!(status, 503);
        assert_eq!(deliver(&edge, update).await, 200);
    }
    for user in people {
        assert_eq!(world.api.until_sent(user, 1).await.len(), 1);
    }
}

fn doors(world: &World) -> Vec<SocketAddr> {
    world.servers.iter().map(Server::webhook).collect()
}

/// Posts these six while one of two replicas has its share in hand and is killed; answers those that were not taken.
async fn refused_by_a_kill<'a>(
    world: &mut World,
    edge: &Edge,
    updates: &'a [Update],
) -> Vec<(&'a Update, u16)> {
    world.servers[0].freeze();
    let answered = Mutex::new(0);
    let posts = all_at_once(updates.iter().map(async |update| {
        let status = deliver(edge, update).await;
        *answered.lock().expect("a count") += 1;
        (update, status)
    }));
    let kill = async {
        until("the living replica has answered its share", async || {
            (*answered.lock().expect("a count") >= 3).then_some(())
        })
        .await;
        world.servers.remove(0).kill();
    };
    let (mut answers, ()) = tokio::join!(posts, kill);
    answers.retain(|(_, status)| *status != 200);
    answers
}

#[tokio::test]
async fn an_update_whose_answer_was_lost_is_done_once_though_another_replica_gets_it_too() {
    let world = World::two().await;
    let deaf = DeafProxy::before(world.servers[0].webhook().port()).await;
    let doors = [([127, 0, 0, 1], deaf.port()).into(), world.servers[1].webhook()];
    let edge = Edge::before(&doors).await;
    deaf.lose_answer_to("POST", Loses::Connection);
    for _ in 0..2 {
        assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
    }
    assert!(deaf.has_lost());
    edge.until_logged("502, 200").await;
    assert_eq!(world.total(REQUESTS, &["outcome=\"duplicate\""]).await, 1.0);
    assert_eq!(world.total(REQUESTS, &["outcome=\"applied\""]).await, 2.0);
}

#[tokio::test]
async fn a_replica_that_answers_503_or_is_gone_costs_telegram_nothing() {
    let (_api, server) = alone().await;
    let busy = stand_in(|_| StatusCode::SERVICE_UNAVAILABLE).await;
    let edge = Edge::before(&[busy, nobody(), server.webhook()]).await;
    for _ in 0..9 {
        assert_eq!(deliver(&edge, &Update::photo(someone())).await, 200);
        assert_eq!(edge.status("/health").await, 204);
    }
    edge.until_logged("503, ").await;
}

#[tokio::test]
async fn when_no_replica_is_left_telegram_is_asked_to_come_again_in_a_second() {
    let edge = Edge::before(&[nobody(), nobody()]).await;
    for _ in 0..4 {
        let answer = post(edge.address(), &Update::photo(someone())).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 503);
        assert_eq!(answer.header("retry-after"), "1");
    }
    let health = http::get(edge.address(), "/health").await.expect("health");
    assert_eq!(health.status, 503);
    edge.until_logged("Connection refused").await;
}

/// Some put a secret there. The log of errors quotes what it is about, and is for errors.
#[tokio::test]
async fn no_path_no_argument_and_no_header_is_in_the_log_of_requests() {
    let edge = Edge::before(&[nobody()]).await;
    let headers = [
        ("user-agent", "canary-agent"),
        ("referer", "http://canary/"),
        ("cookie", "canary=cookie"),
    ];
    for (path, status, place) in [
        ("/canary-path?canary=argument", 404, "elsewhere"),
        ("/webhook?canary=argument", 503, "webhook"),
    ] {
        let answer = http::post(edge.address(), path, &headers, "{}".to_owned()).await;
        assert_eq!(answer.expect("an answer").status, status);
        let place = format!("\"place\":\"{place}\"");
        until(format!("a request has a line with {place}"), async || {
            edge.access_log().contains(&place).then_some(())
        })
        .await;
    }
    let log = edge.access_log();
    for word in ["canary", "/webhook"] {
        assert!(!log.contains(word), "`{word}` in {log}");
    }
}

#[tokio::test]
async fn the_replica_is_told_when_the_request_came_whatever_the_peer_says() {
    let heard = Arc::new(Mutex::new(HeaderMap::new()));
    let book = Arc::clone(&heard);
    let replica = stand_in(move |headers| {
        *book.lock().expect("the headers") = headers;
        StatusCode::OK
    });
    let edge = Edge::before(&[replica.await]).await;
    let headers =
        [("x-request-start", "t=1000000000.000"), ("x-telegram-bot-api-secret-token", SECRET)];
    let body = Update::photo(someone()).body();
    let answer = http::post(edge.address(), "/webhook", &headers, body).await;
    assert_eq!(answer.expect("an answer").status, 200);
    let heard = heard.lock().expect("the headers");
    let start: Vec<_> = heard.get_all("x-request-start").iter().collect();
    let [start] = start[..] else { panic!("{start:?}") };
    let start = start.to_str().expect("text");
    assert!(start.starts_with("t=") && !start.contains("1000000000"), "{start}");
    let secret = heard.get("x-telegram-bot-api-secret-token");
    assert_eq!(secret.expect("the secret"), SECRET);
}

/// Loopback is none of Telegram's addresses: there the webhook is not even there, until the list is switched off.
#[tokio::test]
async fn over_tls_only_telegram_may_post_unless_the_list_is_switched_off() {
    let (_api, server) = alone().await;
    let edge = Edge::start(Files::deployed(&[server.webhook()])).await;
    assert_eq!(deliver_over_tls(&edge, &[]), "404");
    assert_eq!(over_tls(&edge, "/health", &[]), "204");
    assert_eq!(over_tls(&edge, "/metrics", &[]), "404");
    let edge = Edge::start(open_to_anyone(&[server.webhook()])).await;
    assert_eq!(deliver_over_tls(&edge, &[]), "200");
    assert_eq!(server.metrics().await.sum(REQUESTS, &["applied"]), 1.0);
}

/// A load balancer, for which the loopback stands here, says who posts.
#[tokio::test]
async fn whoever_is_at_one_of_telegrams_addresses_may_post_and_no_neighbour() {
    let (_api, server) = alone().await;
    let files = Files::deployed(&[server.webhook()])
        .with("nginx.conf", "#set_real_ip_from 10.0.0.0/8", "set_real_ip_from 127.0.0.1")
        .with("nginx.conf", "#real_ip_header", "real_ip_header");
    let edge = Edge::start(files).await;
    let from = |peer| deliver_over_tls(&edge, &["-H", &format!("X-Forwarded-For: {peer}")]);
    for peer in ["149.154.160.1", "149.154.175.254", "91.108.4.1", "91.108.7.254"] {
        assert_eq!(from(peer), "200", "{peer}");
    }
    for peer in ["149.154.159.254", "149.154.176.1", "91.108.3.254", "91.108.8.1"] {
        assert_eq!(from(peer), "404", "{peer}");
    }
    assert_eq!(server.metrics().await.sum(REQUESTS, &["applied"]), 4.0);
}

/// What is deployed, with the list of addresses switched off.
pub(super) fn open_to_anyone(replicas: &[SocketAddr]) -> Files {
    Files::deployed(replicas).with("nginx.conf", "    include steadfast/telegram.conf;", "").with(
        "nginx.conf",
        "#include",
        "include",
    )
}

/// Posts an update as Telegram does, with these arguments to curl; answers the status.
pub(super) fn deliver_over_tls(edge: &Edge, arguments: &[&str]) -> String {
    let secret = format!("X-Telegram-Bot-Api-Secret-Token: {SECRET}");
    let (json, body) = ("Content-Type: application/json", Update::photo(someone()).body());
    let posts = ["-H", &secret, "-H", json, "-d", &body];
    over_tls(edge, "/webhook", &[&posts, arguments].concat())
}

/// Asks by curl, which takes any certificate here, with these arguments; answers the status.
fn over_tls(edge: &Edge, path: &str, arguments: &[&str]) -> String {
    let mut curl = Command::new("curl");
    curl.args(["-sk", "-m", "60", "-o", "/dev/null", "-w", "%{http_code}"])
        .arg(format!("https://{}{path}", edge.address()))
        .args(arguments);
    let output = curl.output().expect("curl");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Something in the place of a replica, which reads it all and answers as it is told.
pub(super) async fn stand_in(
    answer: impl Fn(HeaderMap) -> StatusCode + Clone + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let read = async move |headers: HeaderMap, _: Bytes| answer(headers);
    let routes = Router::new().fallback(any(read));
    let stop = tokio_util::sync::CancellationToken::new();
    let limits = steadfast::server::http::Limits::default();
    tokio::spawn(steadfast::server::http::serve(listener, routes, stop, limits));
    address
}
