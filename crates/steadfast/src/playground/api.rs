//! `/playground/…`: how the bot is and what its dialogues hold, and the buttons that make it suffer.
//!
//! | request | answer |
//! |---|---|
//! | `GET /playground/bot` | how the process is |
//! | `POST /playground/kill` | `kill -9`; answers how the one is that was started instead, when it is ready |
//! | `POST /playground/clock` | `{"advance":"15m"}`: lets time pass, for the emulator and the bot |
//! | `GET /playground/flows` | the flows, with every transition that their tests have walked |
//! | `GET /playground/dialogues/{key}` | a dialogue: state, data, drafts, timers, what waits, transitions |
//! | `POST /playground/dialogues/{key}/fire` | lets time pass until what is due in it next happens; `{"at":…}`: until that timer of it does |
//! | `GET /playground/events` | Server-Sent Events: `bot`, `transition`, `dialogue` |

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{Playground, events};
use crate::config;
use crate::dialogue::{Edges, Repertoire};
use crate::emulator::clock::LONGEST;
use crate::ops::client;
use crate::store::{DialogueKey, OUTAGE_GRACE};

/// How long to wait for a bot that is being started, or for its answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);
/// How late something may be before it is held back, because the bot was away when it was due.
const LATE: u64 = 5_000;

/// All of it.
pub(super) fn router(playground: &Playground) -> Router {
    Router::new()
        .route("/playground/bot", get(bot))
        .route("/playground/kill", post(kill))
        .route("/playground/clock", post(advance))
        .route("/playground/flows", get(flows))
        .route("/playground/dialogues/{key}", get(dialogue))
        .route("/playground/dialogues/{key}/fire", post(fire))
        .route("/playground/events", get(listen))
        .method_not_allowed_fallback(not_so)
        .route("/playground/{*path}", any(nowhere))
        .with_state(playground.clone())
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error("{0}")]
    Asked(String),
    #[error(
        "there is no {0}; there are bot, kill, clock, flows, dialogues/KEY, dialogues/KEY/fire and events"
    )]
    Nowhere(String),
    #[error("{path} takes {takes}, not {verb}")]
    NotSo { path: String, takes: &'static str, verb: Method },
    #[error("nothing is due in {0}")]
    NothingDue(DialogueKey),
    #[error("the bot does not run, so it cannot be killed")]
    NotRunning,
    #[error("the bot does not answer; it is being started again, try in a moment")]
    NoBot,
    #[error("the bot says: {0}")]
    Bot(String),
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Asked(_) => StatusCode::BAD_REQUEST,
            Self::Nowhere(_) => StatusCode::NOT_FOUND,
            Self::NotSo { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::NothingDue(_) | Self::NotRunning => StatusCode::CONFLICT,
            Self::NoBot => StatusCode::SERVICE_UNAVAILABLE,
            Self::Bot(_) => StatusCode::BAD_GATEWAY,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}

type Answer = Result<Json<Value>, Trouble>;

/// Nothing is there at all.
async fn nowhere(uri: Uri) -> Trouble {
    Trouble::Nowhere(uri.path().to_owned())
}

/// A verb that a path does not take.
async fn not_so(verb: Method, uri: Uri) -> Trouble {
    let path = uri.path().to_owned();
    let is_deed = ["/kill", "/clock", "/fire"].iter().any(|it| path.ends_with(it));
    let takes = if is_deed { "POST" } else { "GET" };
    Trouble::NotSo { path, takes, verb }
}

/// Reads a body, whatever it is said to be.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Trouble> {
    let read = serde_json::from_slice(bytes);
    read.map_err(|error| Trouble::Asked(format!("the body is not as it should be: {error}")))
}

async fn bot(State(playground): State<Playground>) -> Json<Value> {
    Json(json!(*playground.0.status.borrow()))
}

async fn flows(State(playground): State<Playground>) -> Json<Value> {
    Json(playground.0.flows.clone())
}

async fn kill(State(playground): State<Playground>) -> Answer {
    if !playground.0.status.borrow().running {
        return Err(Trouble::NotRunning);
    }
    let (killer, killed) = oneshot::channel();
    let sent = playground.0.kills.send(killer).await;
    sent.map_err(|_| Trouble::NotRunning)?;
    let dead = timeout(PATIENCE, killed).await;
    dead.map_err(|_| Trouble::NoBot)?.map_err(|_| Trouble::NotRunning)?;
    // One that does not come back is told of as it is.
    let mut status = playground.0.status.subscribe();
    let _ = timeout(PATIENCE, status.wait_for(|bot| bot.ready)).await;
    Ok(bot(State(playground)).await)
}

/// How much time is to pass.
#[derive(Debug, Deserialize)]
struct Advance {
    advance: String,
}

async fn advance(State(playground): State<Playground>, bytes: Bytes) -> Answer {
    let Advance { advance } = read(&bytes)?;
    let by = config::duration(&advance).map_err(Trouble::Asked)?;
    if by > LONGEST {
        let most = "at most 366d may pass at once".to_owned();
        return Err(Trouble::Asked(most));
    }
    passed(&playground, by).await
}

async fn passed(playground: &Playground, by: Duration) -> Answer {
    let now = playground.let_pass(by).await?;
    Ok(Json(json!({ "now": now })))
}

async fn dialogue(State(playground): State<Playground>, Path(key): Path<String>) -> Answer {
    let key: DialogueKey = key.parse().map_err(Trouble::Asked)?;
    let mut view = playground.view(&key).await?;
    view["timeline"] = json!(playground.0.timeline.of(&key.to_string()));
    Ok(Json(view))
}

/// Which timer is to fire; nothing: the nearest.
#[derive(Debug, Default, Deserialize)]
struct Fire {
    at: Option<u64>,
}

async fn fire(
    State(playground): State<Playground>,
    Path(key): Path<String>,
    bytes: Bytes,
) -> Answer {
    let key: DialogueKey = key.parse().map_err(Trouble::Asked)?;
    let Fire { at } = match bytes.is_empty() {
        true => Fire::default(),
        false => read(&bytes)?,
    };
    let view = playground.view(&key).await?;
    let timers = view["timers"].as_array().into_iter().flatten();
    let mut timers = timers.filter_map(|timer| timer["at"].as_u64());
    let due = timers.find(|due| at.is_none_or(|at| at == *due));
    let due = due.ok_or(Trouble::NothingDue(key))?;
    let now = playground.0.clock.now();
    if now.saturating_sub(due) <= LATE {
        let by = Duration::from_millis(due.saturating_sub(now));
        let answer = passed(&playground, by).await?;
        if !playground.is_due(&key, due).await? {
            return Ok(answer);
        }
    }
    // The playground was closed until a moment ago: what is due since then waits for redelivered answers.
    passed(&playground, OUTAGE_GRACE).await
}

async fn listen(State(playground): State<Playground>) -> Response {
    events::listen(&playground)
}

impl Playground {
    /// Whether a timer of that time has not fired.
    async fn is_due(&self, key: &DialogueKey, at: u64) -> Result<bool, Trouble> {
        let view = self.view(key).await?;
        let mut timers = view["timers"].as_array().into_iter().flatten();
        Ok(timers.any(|timer| timer["at"] == at))
    }

    /// What the bot knows of a dialogue.
    pub(super) async fn view(&self, key: &DialogueKey) -> Result<Value, Trouble> {
        match self.ask(Method::GET, &format!("/dialogues/{key}")).await? {
            (StatusCode::OK, mut view) => {
                // Its parts are there one by one.
                view.as_object_mut().map(|view| view.remove("body"));
                Ok(view)
            }
            (StatusCode::NOT_FOUND, _) => Ok(json!({
                "dialogue": key.to_string(), "labels": [], "version": 0, "live": null, "parked": [], "due": null, "timers": [], "waiting": [],
            })),
            (_, answer) => Err(Trouble::Bot(answer["error"].to_string())),
        }
    }

    /// Asks the bot's operations, when it is there; again and again until it has answered.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(StatusCode, Value), Trouble> {
        let asked = async {
            loop {
                let mut status = self.0.status.subscribe();
                let ready = status.wait_for(|bot| bot.ready).await.ok()?.ops?;
                let answer = client::ask(ready, method.clone(), path, None, Bytes::new()).await;
                // It may die before it answers, and be there again; and its store may be slow for a moment.
                match answer {
                    Ok(answer) if answer.0 != StatusCode::SERVICE_UNAVAILABLE => {
                        return Some(answer);
                    }
                    _ => {}
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let answer = timeout(PATIENCE, asked).await.ok().flatten();
        let (status, body) = answer.ok_or(Trouble::NoBot)?;
        Ok((status, serde_json::from_str(&body).unwrap_or_default()))
    }
}

/// The flows as a page draws them: from the start, their states in the order in which they are written.
pub(super) fn drawn(edges: &Edges, bot: &Repertoire) -> Value {
    let flow = |name: &str| {
        let own: Vec<_> = edges.iter().filter(|edge| edge.flow == name).collect();
        let mut states: Vec<&str> = Vec::new();
        for state in own.iter().flat_map(|edge| [edge.from.as_str(), &edge.to]) {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        let written = bot.states(name);
        let place = |state: &str| written.iter().position(|it| *it == state);
        states.sort_by_key(|state| match *state {
            "start" => 0,
            state => place(state).map_or(usize::MAX, |at| at + 1),
        });
        let edges = own.iter().map(|edge| json!({ "from": edge.from, "to": edge.to }));
        json!({ "name": name, "states": states, "edges": edges.collect::<Vec<_>>() })
    };
    let flows: Vec<Value> = edges.flows().into_iter().map(flow).collect();
    json!({ "flows": flows })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::drawn;
    use crate::dialogue::prelude::*;
    use crate::dialogue::{Edges, Repertoire, Texts};

    #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(tag = "at", rename_all = "snake_case")]
    enum Signup {
        Name,
        City,
        About,
    }

    impl Flow for Signup {
        const NAME: &'static str = "signup";

        fn open(_: &Turn) -> Option<Step<Self>> {
            None
        }

        fn ask(&self, _: &Context) -> Prompt {
            say("?")
        }

        fn answer(self, _: &Turn) -> Answer<Self> {
            Ok(done())
        }
    }

    #[test]
    fn flow_is_drawn_with_its_transitions_and_its_states_in_declared_order() {
        let lines = "signup: about -> done\nsignup: city -> about\nsignup: name -> city\nsignup: start -> name\n";
        let edges = Edges::read(lines).unwrap();
        let signup = json!({
            "name": "signup",
            "states": ["start", "name", "city", "about", "done"],
            "edges": [
                { "from": "about", "to": "done" },
                { "from": "city", "to": "about" },
                { "from": "name", "to": "city" },
                { "from": "start", "to": "name" },
            ],
        });
        let bot = Repertoire::new(Texts::default()).with::<Signup>();
        assert_eq!(drawn(&edges, &bot), json!({ "flows": [signup] }));
    }
}
