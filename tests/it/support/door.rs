//! A webhook on a real socket, with a pipeline of the test's own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use steadfast::intake::update::UpdateParser;
use steadfast::intake::webhook;
use steadfast::outbox::Outbox;
use steadfast::outbox::telegram::Telegram;
use steadfast::records::NoRecords;
use steadfast::replica::Peers;
use steadfast::server::http;
use steadfast::store::{Memory, Store};
use steadfast::turn::Event;
use steadfast::turn::{LeasedQueues, Outcome, OutcomeKind, Pipeline, TurnError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What opens the door.
pub(crate) const SECRET: &str = "correct-horse-battery";

/// How a door is to be.
pub(crate) struct Plan {
    pub(crate) secrets: &'static [&'static str],
    pub(crate) store: Arc<dyn Store>,
    pub(crate) server: http::Limits,
    pub(crate) request: webhook::Limits,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            secrets: &[SECRET],
            store: Arc::new(Memory::new()),
            server: http::Limits::default(),
            request: webhook::Limits::default(),
        }
    }
}

impl Plan {
    /// The webhook, not yet served.
    pub(crate) fn hook(&self, pipeline: Pipeline) -> Arc<webhook::Webhook> {
        let secrets: Vec<_> = self.secrets.iter().map(|one| (*one).into()).collect();
        let secrets = webhook::Secrets::new(&secrets);
        let store = Arc::clone(&self.store);
        webhook::Webhook::new(secrets, UpdateParser::default(), store, pipeline, self.request)
    }
}

/// A webhook being served.
pub(crate) struct Door {
    pub(crate) address: SocketAddr,
    pub(crate) hook: Arc<webhook::Webhook>,
    pub(crate) store: Arc<dyn Store>,
    stop: CancellationToken,
    task: JoinHandle<bool>,
}

impl Door {
    pub(crate) async fn open(pipeline: Pipeline) -> Self {
        Self::open_as(Plan::default(), pipeline).await
    }

    pub(crate) async fn open_as(plan: Plan, pipeline: Pipeline) -> Self {
        let hook = plan.hook(pipeline);
        Self::serve(plan, hook).await
    }

    pub(crate) async fn serve(plan: Plan, hook: Arc<webhook::Webhook>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let served = http::serve(listener, hook.router("/webhook"), stop.clone(), plan.server);
        Self { address, hook, store: plan.store, stop, task: tokio::spawn(served) }
    }

    /// Begins to stop.
    pub(crate) fn close(&self) {
        self.stop.cancel();
    }

    /// Waits for the end; whether all was finished.
    pub(crate) async fn closed(self) -> bool {
        let finished = self.task.await.unwrap();
        self.hook.finish().await;
        finished
    }

    /// A connection to it.
    pub(crate) async fn knock(&self) -> Visitor {
        Visitor(TcpStream::connect(self.address).await.unwrap())
    }

    /// Posts an update as Telegram does, and waits for the answer.
    pub(crate) async fn post(&self, body: impl AsRef<[u8]>) -> Reply {
        self.post_with("", body).await
    }

    /// Posts an update with another header line, or several.
    pub(crate) async fn post_with(&self, lines: &str, body: impl AsRef<[u8]>) -> Reply {
        let head = format!("{}{lines}", head(SECRET));
        self.knock().await.ask(&head, body.as_ref()).await
    }
}

/// The header of a request of Telegram's, but for the length.
pub(crate) fn head(secret: &str) -> String {
    format!(
        "POST /webhook HTTP/1.1\r\nHost: bot\r\nContent-Type: application/json\r\n\
         X-Telegram-Bot-Api-Secret-Token: {secret}\r\n"
    )
}

/// A connection, spoken over by hand.
pub(crate) struct Visitor(pub(crate) TcpStream);

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    /// Asked to come again, in a second.
    pub(crate) fn is_later(&self) -> bool {
        self.status == 503 && self.head.contains("retry-after: 1\r\n")
    }
}

impl Visitor {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    pub(crate) async fn ask(&mut self, head: &str, body: &[u8]) -> Reply {
        self.send(format!("{head}Content-Length: {}\r\n\r\n", body.len())).await;
        self.send(body).await;
        self.reply().await
    }

    /// Reads one answer.
    pub(crate) async fn reply(&mut self) -> Reply {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            head.push(char::from(self.0.read_u8().await.expect("an answer")));
        }
        let length = head.split("content-length: ").nth(1);
        let length = length.map_or(0, |rest| rest.split("\r\n").next().unwrap().parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: String::from_utf8(body).unwrap(),
            head,
        }
    }

    /// Waits for the other side to hang up without another word.
    pub(crate) async fn hung_up(&mut self) -> bool {
        self.0.read_u8().await.is_err()
    }
}

/// A pipeline that always answers this.
pub(crate) fn answering(
    answer: impl Fn(Event) -> Result<Outcome, TurnError> + Clone + Send + Sync + 'static,
) -> Pipeline {
    Pipeline::new(tower::service_fn(move |incoming| {
        let answer = answer.clone();
        async move { answer(incoming) }
    }))
}

/// An outbox that reaches nobody: what it is to send stays in its lane.
pub(crate) fn silent_outbox(store: Arc<dyn Store>) -> Outbox {
    idle_outbox(store, Telegram::new("http://127.0.0.1:9", &"1:x".into()))
}

/// An outbox to which no turn hands anything.
pub(crate) fn idle_outbox(store: Arc<dyn Store>, telegram: Telegram) -> Outbox {
    let (_, leased) = LeasedQueues::channel();
    let records = Arc::new(NoRecords::default());
    Outbox::new(store, telegram, records, applying(), Peers::default(), leased)
}

/// A pipeline that applies everything.
pub(crate) fn applying() -> Pipeline {
    answering(|_| Ok(moved(OutcomeKind::Applied, "")))
}

pub(crate) fn moved(outcome: OutcomeKind, toast: &str) -> Outcome {
    Outcome { outcome, edges: Vec::new(), attempts: 1, toast: toast.into() }
}

/// A message as Telegram sends it.
pub(crate) fn message(update_id: u32) -> String {
    format!(
        r#"{{"update_id":{update_id},
"message":{{"message_id":1,"from":{{"id":5,"is_bot":false,"first_name":"Ann"}},"chat":{{"id":5,"first_name":"Ann","type":"private"}},"date":1700000000,"text":"hi"}}}}"#
    )
}

/// A press of a button as Telegram sends it.
pub(crate) fn press(update_id: u32) -> String {
    format!(
        r#"{{"update_id":{update_id},
"callback_query":{{"id":"777","from":{{"id":5,"is_bot":false,"first_name":"Ann"}},"message":{{"message_id":1,"from":{{"id":9,"is_bot":true,"first_name":"Bot"}},"chat":{{"id":5,"first_name":"Ann","type":"private"}},"date":1700000000,"text":"?"}},"chat_instance":"1","data":"yes"}}}}"#
    )
}

/// A short time, for what must run out.
pub(crate) const SHORT: Duration = Duration::from_millis(100);
