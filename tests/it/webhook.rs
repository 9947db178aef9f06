//! The webhook over a real socket: what is acknowledged, what is refused, what is asked for again.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use steadfast::intake::webhook;
use steadfast::server::http;
use steadfast::store::{self, Embedded, Store};
use steadfast::telemetry;
use steadfast::turn::{OutcomeKind, Pipeline, TurnError};
use tokio::io::AsyncWriteExt;
use tokio::sync::{Semaphore, mpsc};

use crate::support::door::{
    Door, Plan, SECRET, SHORT, answering, applying, head, message, moved, press,
};

/// A pipeline that says when it begins, waits at a gate, and says when it is done.
struct Gate {
    pipeline: Pipeline,
    open: Arc<Semaphore>,
    begun: mpsc::UnboundedReceiver<()>,
    done: mpsc::UnboundedReceiver<()>,
}

fn gate() -> Gate {
    let open = Arc::new(Semaphore::new(0));
    let ((begin, begun), (finish, done)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
    let gate = Arc::clone(&open);
    let pipeline = Pipeline::new(tower::service_fn(move |_| {
        let (gate, begin, finish) = (Arc::clone(&gate), begin.clone(), finish.clone());
        async move {
            let _ = begin.send(());
            gate.acquire().await.unwrap().forget();
            let _ = finish.send(());
            Ok(moved(OutcomeKind::Applied, ""))
        }
    }));
    Gate { pipeline, open, begun, done }
}

fn limits(change: impl FnOnce(&mut webhook::Limits)) -> Plan {
    let mut plan = Plan::default();
    change(&mut plan.request);
    plan
}

#[tokio::test]
async fn an_update_is_acknowledged_with_an_empty_answer() {
    for outcome in [
        OutcomeKind::Applied,
        OutcomeKind::Duplicate,
        OutcomeKind::Ignored,
        OutcomeKind::DeadLetter,
    ] {
        let pipeline = answering(move |_| Ok(moved(outcome, "")));
        let reply = Door::open(pipeline).await.post(message(1)).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, ""), "{outcome:?}");
    }
}

#[tokio::test]
async fn an_update_is_acknowledged_only_after_its_work_is_done() {
    let Gate { pipeline, open, mut begun, mut done } = gate();
    let door = Door::open(pipeline).await;
    let (reply, ()) = tokio::join!(door.post(message(1)), async {
        begun.recv().await.unwrap();
        assert!(done.try_recv().is_err());
        open.add_permits(1);
    });
    assert_eq!(reply.status, 200);
    assert!(done.try_recv().is_ok());
}

#[tokio::test]
async fn a_press_is_answered_in_the_response_even_when_it_is_a_duplicate() {
    let toasting = answering(|_| Ok(moved(OutcomeKind::Applied, "Saved")));
    let reply = Door::open(toasting).await.post(press(1)).await;
    assert!(reply.head.contains("content-type: application/json\r\n"));
    assert_eq!(
        reply.body,
        r#"{"method":"answerCallbackQuery","callback_query_id":"777","text":"Saved"}"#
    );
    let silent = answering(|_| Ok(moved(OutcomeKind::Duplicate, "")));
    let reply = Door::open(silent).await.post(press(1)).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.body, r#"{"method":"answerCallbackQuery","callback_query_id":"777"}"#);
}

#[tokio::test]
async fn what_cannot_be_done_now_is_asked_for_again_in_a_second() {
    for fail in [
        (|| store::Error::timeout("no answer").into()) as fn() -> TurnError,
        || TurnError::Records("away".into()),
        || TurnError::Contended(9),
        || TurnError::TooOld,
        || TurnError::Failed { tries: 1, reason: "odd".into() },
        || TurnError::Newer { flow: "order".into() },
        || panic!("a step"),
    ] {
        let pipeline = answering(move |_| Err(fail()));
        let reply = Door::open(pipeline).await.post(press(1)).await;
        assert!(reply.is_later() && reply.body.is_empty(), "{reply:?}");
    }
}

#[tokio::test]
async fn bad_bodies_are_put_aside_and_the_next_update_passes() {
    let deep =
        format!(r#"{{"update_id":1,"message":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    let typed = |field: &str, value: &str| message(1).replace(field, value);
    let unreadable: [(&str, Vec<u8>); 9] = [
        ("empty", Vec::new()),
        ("not JSON", b"hello".to_vec()),
        ("cut off", message(1).into_bytes()[..40].to_vec()),
        ("10 000 deep", deep.into_bytes()),
        ("invalid UTF-8", b"{\"update_id\":1,\"message\":{\"text\":\"\xff\xfe\"}}".to_vec()),
        ("no update_id", br#"{"message":{}}"#.to_vec()),
        (
            "an update_id out of range",
            typed(r#""update_id":1"#, r#""update_id":9223372036854775807"#).into(),
        ),
        ("a message without fields", br#"{"update_id":1,"message":{}}"#.to_vec()),
        ("a date out of range", typed("1700000000", "9223372036854775807").into()),
    ];
    let door = Door::open(applying()).await;
    for (index, (what, body)) in unreadable.iter().enumerate() {
        assert_eq!(door.post(body).await.status, 200, "{what}");
        assert_eq!(door.store.dead_letters(100).await.unwrap().len(), index + 1, "{what}");
        assert_eq!(door.post(message(2)).await.status, 200, "after {what}");
    }
}

#[tokio::test]
async fn odd_updates_are_taken_as_they_are() {
    let door = Door::open(applying()).await;
    for body in [
        message(1).replace(r#""id":5"#, &format!(r#""id":{}"#, i64::MAX)),
        message(1).replace(r#""chat":{"id":5"#, &format!(r#""chat":{{"id":{}"#, i64::MIN)),
        r#"{"update_id":1,"poll_of_the_future":{"a":[1,2,3]}}"#.into(),
        r#"{"update_id":1}"#.into(),
        message(1).replace(r#""text":"hi""#, r#""text":"hi","new_field":{"x":null}"#),
    ] {
        assert_eq!(door.post(&body).await.status, 200, "{body}");
    }
    assert_eq!(door.store.dead_letters(100).await.unwrap(), Vec::<bytes::Bytes>::new());
}

#[tokio::test]
async fn a_dead_letter_says_when_why_and_what() {
    let door = Door::open(applying()).await;
    door.post("hello").await;
    let letters = door.store.dead_letters(1).await.unwrap();
    let letter: serde_json::Value = serde_json::from_slice(&letters[0]).unwrap();
    assert_eq!(letter["body"], "hello");
    assert!(letter["reason"].as_str().unwrap().contains("line 1"));
    assert!(letter["at"].as_u64().unwrap() > 1_700_000_000_000);
}

#[tokio::test]
async fn a_bad_body_that_cannot_be_put_aside_is_asked_for_again() {
    let dir = tempfile::tempdir().unwrap();
    let closed = Embedded::open(&dir.path().join("file")).unwrap();
    closed.close().await;
    let plan = Plan { store: Arc::new(closed), ..Plan::default() };
    let door = Door::open_as(plan, applying()).await;
    assert!(door.post("hello").await.is_later());
}

#[tokio::test]
async fn without_the_secret_the_body_is_not_even_read() {
    let door = Door::open(applying()).await;
    let missing =
        "POST /webhook HTTP/1.1\r\nHost: bot\r\nContent-Type: application/json\r\n".to_owned();
    for head in [head("wrong"), head(""), head(&SECRET[..SECRET.len() - 1]), missing] {
        let mut visitor = door.knock().await;
        // A server that wanted the body would first answer `100 Continue`.
        visitor.send(format!("{head}Expect: 100-continue\r\nContent-Length: 500000\r\n\r\n")).await;
        let reply = visitor.reply().await;
        assert_eq!((reply.status, reply.body.as_str()), (401, ""), "{head}");
    }
}

#[tokio::test]
async fn every_secret_of_a_rotation_opens() {
    let plan = Plan { secrets: &["new", "old"], ..Plan::default() };
    let door = Door::open_as(plan, applying()).await;
    for (secret, status) in [("new", 200), ("old", 200), ("older", 401)] {
        let reply = door.knock().await.ask(&head(secret), message(1).as_bytes()).await;
        assert_eq!(reply.status, status, "{secret}");
    }
}

#[tokio::test]
async fn only_posts_of_json_are_updates() {
    let door = Door::open(applying()).await;
    let ask = async |from: &str, to: &str| {
        let head = head(SECRET).replace(from, to);
        door.knock().await.ask(&head, message(1).as_bytes()).await
    };
    for method in ["GET", "PUT", "DELETE"] {
        let reply = ask("POST", method).await;
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.head.contains("allow: POST\r\n"));
    }
    for kind in ["text/plain", "application/jsonx", "multipart/form-data"] {
        assert_eq!(ask("application/json", kind).await.status, 415, "{kind}");
    }
    assert_eq!(ask("application/json", "Application/JSON; charset=utf-8").await.status, 200);
    assert_eq!(ask("/webhook", "/elsewhere").await.status, 404);
}

#[tokio::test]
async fn a_body_over_a_mebibyte_is_refused() {
    let door = Door::open(applying()).await;
    let mut visitor = door.knock().await;
    visitor.send(format!("{}Content-Length: 5000000\r\n\r\n", head(SECRET))).await;
    assert_eq!(visitor.reply().await.status, 413, "announced");

    let mut visitor = door.knock().await;
    visitor.send(format!("{}Transfer-Encoding: chunked\r\n\r\n100001\r\n", head(SECRET))).await;
    visitor.send(vec![b' '; 0x10_0001]).await;
    assert_eq!(visitor.reply().await.status, 413, "in a chunk");
}

#[tokio::test]
async fn a_body_may_come_in_chunks() {
    let door = Door::open(applying()).await;
    let mut visitor = door.knock().await;
    visitor.send(format!("{}Transfer-Encoding: chunked\r\n\r\n", head(SECRET))).await;
    for part in message(1).as_bytes().chunks(50) {
        visitor.send(format!("{:x}\r\n", part.len())).await;
        visitor.send(part).await;
        visitor.send("\r\n").await;
    }
    visitor.send("0\r\n\r\n").await;
    assert_eq!(visitor.reply().await.status, 200);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_given_up() {
    let door = Door::open_as(limits(|limits| limits.body_time = SHORT), applying()).await;
    let mut visitor = door.knock().await;
    visitor.send(format!("{}Content-Length: 500\r\n\r\n{{", head(SECRET))).await;
    assert_eq!(door.post(message(1)).await.status, 200, "of somebody else");
    assert_eq!(visitor.reply().await.status, 408);
}

#[tokio::test]
async fn a_header_that_does_not_arrive_is_given_up() {
    let server = http::Limits { header: SHORT, ..http::Limits::default() };
    let door = Door::open_as(Plan { server, ..Plan::default() }, applying()).await;
    for begun in ["", "POST /webhook HTTP/1.1\r\nHost: b"] {
        let mut visitor = door.knock().await;
        visitor.send(begun).await;
        assert_eq!(door.post(message(1)).await.status, 200, "of somebody else");
        assert!(visitor.hung_up().await, "{begun}");
    }
}

#[tokio::test]
async fn an_idle_connection_outlives_the_time_for_a_header_but_a_slow_second_header_does_not() {
    let server = http::Limits { header: SHORT, ..http::Limits::default() };
    let door = Door::open_as(Plan { server, ..Plan::default() }, applying()).await;
    let mut visitor = door.knock().await;
    for update in 1..=2 {
        let reply = visitor.ask(&head(SECRET), message(update).as_bytes()).await;
        assert_eq!(reply.status, 200, "update {update}");
        tokio::time::sleep(SHORT * 2).await;
    }
    visitor.send("POST /webhook").await;
    assert!(visitor.hung_up().await);
}

#[tokio::test]
async fn whoever_asks_and_asks_and_never_reads_an_answer_is_given_up() {
    let server = http::Limits { write: SHORT, ..http::Limits::default() };
    let plan = Plan { server, ..Plan::default() };
    let door = Door::open_as(plan, applying()).await;
    let mut visitor = door.knock().await;
    let questions = "GET /webhook HTTP/1.1\r\nHost: bot\r\n\r\n".repeat(1000);
    let asks = async { while visitor.0.write_all(questions.as_bytes()).await.is_ok() {} };
    let hung_up = tokio::time::timeout(Duration::from_secs(30), asks).await;
    assert!(hung_up.is_ok(), "the connection is held");
    assert_eq!(door.post(message(1)).await.status, 200, "of somebody else");
}

#[tokio::test]
async fn a_lost_connection_does_not_stop_the_work() {
    let Gate { pipeline, open, mut begun, mut done } = gate();
    let door = Door::open(pipeline).await;
    let mut visitor = door.knock().await;
    let body = message(1);
    visitor.send(format!("{}Content-Length: {}\r\n\r\n{body}", head(SECRET), body.len())).await;
    begun.recv().await.unwrap();
    drop(visitor);
    // Once all connections are closed the server has noticed, and only the work itself is left.
    door.close();
    let ended = tokio::spawn(door.closed());
    tokio::time::sleep(SHORT * 2).await;
    open.add_permits(1);
    done.recv().await.unwrap();
    assert!(ended.await.unwrap());
}

#[tokio::test]
async fn work_that_takes_too_long_is_asked_for_again_and_goes_on() {
    let Gate { pipeline, open, mut done, .. } = gate();
    let door = Door::open_as(limits(|limits| limits.turn_time = SHORT), pipeline).await;
    assert!(door.post(message(1)).await.is_later());
    open.add_permits(1);
    done.recv().await.unwrap();
}

#[tokio::test]
async fn more_than_can_be_worked_on_is_asked_for_again() {
    let Gate { pipeline, open, mut begun, .. } = gate();
    let door = Door::open_as(limits(|limits| limits.in_flight = 1), pipeline).await;
    let (first, ()) = tokio::join!(door.post(message(1)), async {
        begun.recv().await.unwrap();
        assert!(door.post(message(2)).await.is_later());
        open.add_permits(2);
    });
    assert_eq!(first.status, 200);
    assert_eq!(door.post(message(2)).await.status, 200);
}

#[tokio::test]
async fn a_request_that_waited_too_long_in_a_proxy_is_asked_for_again() {
    let door = Door::open(applying()).await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let (fresh, stale) = (now.as_secs_f64(), (now - Duration::from_secs(21)).as_secs_f64());
    let at = async |start: String| {
        let line = format!("X-Request-Start: {start}\r\n");
        door.post_with(&line, message(1)).await
    };
    assert!(at(format!("t={stale:.3}")).await.is_later());
    assert!(at(format!("{:.0}", stale * 1e3)).await.is_later());
    for start in [format!("t={fresh:.3}"), format!("t={:.3}", fresh + 60.0), "soon".into()] {
        assert_eq!(at(start.clone()).await.status, 200, "{start}");
    }
}

#[tokio::test]
async fn stopping_finishes_what_is_in_flight_and_closes_what_is_idle() {
    let Gate { pipeline, open, mut begun, .. } = gate();
    let door = Door::open(pipeline).await;
    let (mut idle, mut new, mut busy) =
        (door.knock().await, door.knock().await, door.knock().await);
    open.add_permits(1);
    assert_eq!(idle.ask(&head(SECRET), message(1).as_bytes()).await.status, 200);
    begun.recv().await.unwrap();
    let body = message(2);
    busy.send(format!("{}Content-Length: {}\r\n\r\n{body}", head(SECRET), body.len())).await;
    begun.recv().await.unwrap();
    door.close();
    assert!(idle.hung_up().await && new.hung_up().await);
    open.add_permits(1);
    let reply = busy.reply().await;
    assert!(reply.status == 200 && reply.head.contains("connection: close\r\n"), "{reply:?}");
    assert!(door.closed().await);
}

#[tokio::test]
async fn every_request_is_counted_by_what_became_of_it() {
    let recorder = telemetry::recorder().unwrap();
    let handle = recorder.handle();
    let plan = Plan::default();
    let hook = metrics::with_local_recorder(&recorder, || plan.hook(applying()));
    let door = Door::serve(plan, hook).await;
    door.post(message(1)).await;
    door.post("hello").await;
    door.knock().await.ask(&head("wrong"), b"{}").await;
    door.post(r#"{"update_id":1,"poll":{"x":1}}"#).await;
    door.post(r#"{"update_id":2,"telepathy":{"x":1}}"#).await;
    let page = handle.render();
    for line in [
        r#"steadfast_webhook_requests_total{outcome="applied"} 1"#,
        r#"steadfast_webhook_requests_total{outcome="dead_letter"} 1"#,
        r#"steadfast_webhook_requests_total{outcome="unauthorized"} 1"#,
        r#"steadfast_webhook_requests_total{outcome="overloaded"} 0"#,
        r#"steadfast_webhook_request_duration_seconds_count{outcome="applied"} 1"#,
        r#"steadfast_webhook_requests_total{outcome="ignored"} 2"#,
        r#"steadfast_updates_total{kind="message"} 1"#,
        r#"steadfast_updates_total{kind="poll"} 1"#,
        r#"steadfast_updates_total{kind="other"} 1"#,
        r#"steadfast_dead_letters_total{kind="unreadable",reason="unreadable"} 1"#,
        "steadfast_webhook_inflight 0",
        "steadfast_webhook_inflight_limit 512",
        "steadfast_webhook_body_bytes_count 4",
        "steadfast_update_age_seconds_count 1",
    ] {
        assert!(page.lines().any(|shown| shown == line), "{line}");
    }
}
