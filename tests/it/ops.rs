//! What operators may ask: health, metrics, dialogues.

use std::convert::Infallible;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use bytes::Bytes;
use field_service::role::ROLES;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use steadfast::bot::Build;
use steadfast::dialogue::{Edge, Input, Passage};
use steadfast::intake::update::UpdateParser;
use steadfast::ops::health::{self, Vitals};
use steadfast::ops::metrics::{self, Shown};
use steadfast::ops::{self, Guard, Ops};
use steadfast::store::{Cause, Embedded, Measured, Memory, Next, Store};
use steadfast::telemetry;
use steadfast::turn::Event;
use steadfast::turn::{Outcome, OutcomeKind, Pipeline};
use tower::ServiceExt;

use crate::support::bed::{Bed, key, plain};
use crate::support::door::{answering, applying, moved, silent_outbox};

const BUILD: Build = Build { about: "", name: "tried", version: "1.2.3" };

/// Asks as a program on this machine.
async fn ask(router: &Router, method: &str, path: &str) -> (StatusCode, String) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "127.0.0.1:9100")
        .body(Body::empty())
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

pub(crate) async fn json(router: &Router, method: &str, path: &str) -> (StatusCode, Value) {
    let (status, body) = ask(router, method, path).await;
    (status, serde_json::from_str(&body).unwrap())
}

/// Someone who is asked for a phone number.
async fn someone() -> Arc<dyn Store> {
    standing("order/phone", r#"{"live":{"since":1700000000000}}"#).await
}

/// Someone who is counted here, and whose record says this.
async fn standing(label: &str, body: &'static str) -> Arc<dyn Store> {
    let bed = Bed::memory().await;
    let (key, cause) = (key(5, 7), Cause::Update(1));
    let snapshot = bed.fresh(&key, cause).await;
    let mut commit = plain(&snapshot, cause);
    commit.next = Next {
        labels: vec![label.into()],
        body: body.into(),
        due: Some(snapshot.now + 60_000),
        idle: Duration::from_secs(60),
    };
    bed.pass(&key, &commit).await;
    Arc::clone(&bed.store)
}

pub(crate) fn desk(store: &Arc<dyn Store>, pipeline: Pipeline) -> Router {
    let ops = Ops {
        store: Arc::clone(store),
        pipeline,
        outbox: silent_outbox(Arc::clone(store)),
        reader: UpdateParser::default(),
        records: None,
        staff: Arc::default(),
        roles: ROLES,
    };
    ops::router(ops, Guard::Local)
}

/// A body of which nothing comes.
struct Never;

impl hyper::body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_given_up() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let router = desk(&store, applying());
    let request = Request::post("/broadcast")
        .header(header::HOST, "127.0.0.1:9100")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::new(Never))
        .unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(60), router.oneshot(request));
    let answer = answer.await.expect("it is waited for").unwrap();
    assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
}

#[tokio::test]
async fn what_can_only_be_a_slip_is_refused_with_the_reason() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let router = desk(&store, applying());
    for (method, path, reason) in [
        ("PUT", "/roles?user=0&role=owner", "0 is nobody"),
        ("PUT", "/roles?user=-5&role=owner", "-5 is nobody"),
    ] {
        let (status, answer) = json(&router, method, path).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}");
        let said = answer["error"].as_str().unwrap_or_default();
        assert!(said.contains(reason), "{path}: {said}");
    }
}

#[tokio::test]
async fn dialogues_are_listed_by_where_they_are() {
    let router = desk(&someone().await, applying());
    for (path, count) in [
        ("/dialogues", 1),
        ("/dialogues?label=order/phone", 1),
        ("/dialogues?label=order/address", 0),
    ] {
        let (status, page) = json(&router, "GET", path).await;
        assert_eq!(
            (status, page["dialogues"].as_array().unwrap().len()),
            (StatusCode::OK, count),
            "{path}"
        );
    }
    let (_, page) = json(&router, "GET", "/dialogues").await;
    let one = &page["dialogues"][0];
    assert_eq!(one["dialogue"], "5:7");
    assert_eq!(one["labels"], json!(["order/phone"]));
    assert_eq!(one["since"], 1_700_000_000_000_u64);
    assert!(one["body"].is_null(), "a list shows nothing of what people said");
}

/// Not since when the flow goes on.
#[tokio::test]
async fn the_list_says_since_when_people_are_where_they_are() {
    let drafts = r#"{"parked":[{"at":1700000000001},{"at":1700000000002}]}"#;
    for (label, body, since) in [
        (
            "order/phone",
            r#"{"live":{"since":1700000000000,"entered":5000}}"#,
            1_700_000_005_000_u64,
        ),
        ("order/parked", drafts, 1_700_000_000_002),
    ] {
        let router = desk(&standing(label, body).await, applying());
        let (_, page) = json(&router, "GET", "/dialogues").await;
        assert_eq!(page["dialogues"][0]["since"], since, "{label}");
    }
}

#[tokio::test]
async fn one_dialogue_is_shown_with_all_it_holds() {
    let router = desk(&someone().await, applying());
    let (status, one) = json(&router, "GET", "/dialogues/5:7").await;
    assert_eq!(
        (status, &one["body"]["live"]["since"]),
        (StatusCode::OK, &json!(1_700_000_000_000_u64))
    );
    assert_eq!(json(&router, "GET", "/dialogues/5:8").await.0, StatusCode::NOT_FOUND);
    assert_eq!(json(&router, "GET", "/dialogues/nobody").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(json(&router, "GET", "/dialogues?cursor=64").await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_reset_is_a_turn_like_any_other() {
    let turns: Arc<Mutex<Vec<Event>>> = Arc::default();
    let seen = Arc::clone(&turns);
    let router = desk(
        &someone().await,
        answering(move |incoming| {
            seen.lock().unwrap().push(incoming);
            let edge = Edge { flow: "order".into(), from: "phone".into(), to: "cancelled".into() };
            Ok(Outcome {
                edges: vec![Passage { edge, stood: None }],
                ..moved(OutcomeKind::Applied, "")
            })
        }),
    );
    let (status, done) = json(&router, "POST", "/dialogues/5:7/reset").await;
    assert_eq!((status, &done["outcome"]), (StatusCode::OK, &json!("applied")));
    assert_eq!(done["edges"][0]["to"], "cancelled");
    assert_eq!(json(&router, "POST", "/dialogues/5:8/reset").await.0, StatusCode::NOT_FOUND);
    assert_eq!(ask(&router, "GET", "/dialogues/5:7/reset").await.0, StatusCode::METHOD_NOT_ALLOWED);
    let turns = turns.lock().unwrap();
    assert_eq!((turns.len(), turns[0].key, turns[0].cause), (1, key(5, 7), Cause::Order));
    assert_eq!(turns[0].input, Input::Reset);
}

#[tokio::test]
async fn a_reset_that_panics_is_told_without_its_payload() {
    let router = desk(&someone().await, answering(|_| panic!("a phone number")));
    let (status, body) = ask(&router, "POST", "/dialogues/5:7/reset").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(!body.contains("phone number"));
}

#[tokio::test]
async fn health_follows_the_store_and_the_drain_but_liveness_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let store = Embedded::open(&dir.path().join("file")).unwrap();
    let vitals = Vitals::new(BUILD, store.kind(), false);
    let router = health::router(Arc::clone(&vitals)).merge(health::probes(Arc::clone(&vitals)));
    let states = async || {
        let (status, body) = json(&router, "GET", "/health").await;
        assert_eq!(ask(&router, "GET", "/readyz").await.0, status);
        assert_eq!(ask(&router, "GET", "/livez").await.0, StatusCode::OK);
        // As long as the store does not go away, there is no difference.
        assert_eq!(ask(&router, "GET", "/servingz").await.0, status);
        (status.as_u16(), body["status"].as_str().unwrap().to_owned())
    };
    assert_eq!(states().await, (503, "unavailable".into()), "not yet asked");
    vitals.probe(&store, Duration::from_secs(1)).await;
    assert_eq!(states().await, (200, "ok".into()));
    assert_eq!(json(&router, "GET", "/health").await.1["draining"], false);
    vitals.drain();
    assert_eq!(states().await, (503, "draining".into()));
    assert_eq!(json(&router, "GET", "/health").await.1["draining"], true);
}

#[tokio::test]
async fn a_stand_in_is_healthy_but_degraded() {
    let (store, vitals) = (Memory::new(), Vitals::new(BUILD, "memory", true));
    vitals.probe(&store, Duration::from_secs(1)).await;
    assert!(vitals.ready());
    assert_eq!(vitals.health().status, "degraded");
}

#[tokio::test]
async fn a_state_nobody_is_in_any_more_goes_to_zero() {
    let recorder = telemetry::recorder().unwrap();
    let _scope = ::metrics::set_default_local_recorder(&recorder);
    let mut shown = Shown::default();
    let line =
        |count| format!(r#"steadfast_dialogues_active{{flow="order",state="phone"}} {count}"#);
    shown.refresh(&*someone().await).await;
    assert!(recorder.handle().render().contains(&line(1)));
    shown.refresh(&Memory::new()).await;
    assert!(recorder.handle().render().contains(&line(0)));
}

#[tokio::test]
async fn every_store_call_is_measured_and_every_failure_counted() {
    let recorder = telemetry::recorder().unwrap();
    let _scope = ::metrics::set_default_local_recorder(&recorder);
    let dir = tempfile::tempdir().unwrap();
    let inner = Arc::new(Embedded::open(&dir.path().join("file")).unwrap());
    let store = Measured::new(inner);
    store.ping().await.unwrap();
    store.close().await;
    store.ping().await.unwrap_err();
    let page = recorder.handle().render();
    assert!(page.contains(r#"steadfast_store_op_duration_seconds_count{op="ping"} 2"#));
    assert!(page.contains(r#"steadfast_store_errors_total{op="ping",kind="closed"} 1"#));
}

/// Needs `promtool` on the path.
#[tokio::test]
async fn prometheus_finds_nothing_to_complain_about() {
    let recorder = telemetry::recorder().unwrap();
    let _scope = ::metrics::set_default_local_recorder(&recorder);
    telemetry::announce_build(BUILD);
    let router = metrics::router(recorder.handle());
    let (status, page) = ask(&router, "GET", "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("process_open_fds"));
    let build = page.lines().find(|line| line.starts_with("steadfast_build_info{"));
    let build = build.expect("a build");
    assert!(
        build.contains("bot=\"tried\",version=\"1.2.3\"") && build.contains("rustc=\"1."),
        "{build}"
    );
    let mut lint = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("promtool, of the package prometheus");
    std::io::Write::write_all(&mut lint.stdin.take().unwrap(), page.as_bytes()).unwrap();
    assert!(lint.wait().unwrap().success());
}
