//! A single connection to Redis, from dialling to giving up.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Pipeline, RedisResult, Value};
use tokio::time::timeout;

use super::connection::Ask;
use super::fault::Fault;
use super::patience::Patience;
use super::script::Call;

/// How long dialling may take, greeting included.
const DIAL_TIMEOUT: Duration = Duration::from_secs(1);
/// How many calls wait for their turn to be written before callers are held up.
const PIPELINE_BUFFER: usize = 1024;

/// A single connection to Redis.
#[derive(Debug)]
pub(super) struct Link {
    socket: MultiplexedConnection,
    patience: Patience,
}

impl Link {
    /// Connects to a server that is a master and has its data.
    pub(super) async fn dial(client: &Client) -> Result<Self, Fault> {
        let link = timeout(DIAL_TIMEOUT, async {
            let socket = connect(client).await.map_err(|error| Fault::of(&error))?;
            let link = Self::new(socket);
            link.greet().await.map(|()| link)
        });
        link.await.unwrap_or_else(|_| Err(Fault::timeout()))
    }

    fn new(socket: MultiplexedConnection) -> Self {
        Self { socket, patience: Patience::new() }
    }

    /// Sends and waits for the answer. Sends the source of a script that the server does not know.
    pub(super) async fn send(&self, ask: Ask<'_>) -> Result<Value, Fault> {
        let answer = self.exchange(ask).await;
        answer.map_err(|error| Fault::of(&error))
    }

    /// Notes that the server answers.
    pub(super) fn answered(&self) {
        self.patience.answered();
    }

    /// Notes a fault, and says whether another connection might do better.
    pub(super) fn is_beyond_hope(&self, fault: &Fault) -> bool {
        self.patience.is_over(fault)
    }

    /// A replica or a server that is still loading would only refuse every call.
    async fn greet(&self) -> Result<(), Fault> {
        let mut greeting = redis::pipe();
        greeting.cmd("PING").cmd("ROLE");
        let fault = match self.exchange(Ask::Cmds(&greeting)).await {
            Ok(Value::Array(answers)) if is_replica(answers.get(1)) => {
                return Err(Fault::new("readonly", "this Redis is a replica"));
            }
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        // Whoever may not ask for the role finds out by writing.
        match fault.code() {
            Some("NOPERM") => Ok(()),
            _ => Err(Fault::of(&fault)),
        }
    }

    async fn exchange(&self, ask: Ask<'_>) -> RedisResult<Value> {
        // A clone is a handle to the same socket.
        let mut socket = self.socket.clone();
        match ask {
            Ask::Cmd(cmd) => one(&mut socket, cmd).await,
            Ask::Cmds(cmds) => many(&mut socket, cmds).await,
            Ask::Call(call) => match one(&mut socket, call.by_hash()).await {
                Err(error) if is_unknown(&error) => one(&mut socket, &call.by_source()).await,
                answer => answer,
            },
            Ask::Calls(calls) => match many(&mut socket, &by_hash(calls)).await {
                Err(error) if is_unknown(&error) => many(&mut socket, &by_source(calls)).await,
                answer => answer,
            },
        }
    }
}

async fn connect(client: &Client) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(DIAL_TIMEOUT))
        // Each call has a deadline of its own.
        .set_response_timeout(None)
        .set_pipeline_buffer_size(PIPELINE_BUFFER);
    client.get_multiplexed_async_connection_with_config(&config).await
}

async fn one(socket: &mut MultiplexedConnection, cmd: &redis::Cmd) -> RedisResult<Value> {
    socket.send_packed_command(cmd).await?.extract_error()
}

async fn many(socket: &mut MultiplexedConnection, cmds: &Pipeline) -> RedisResult<Value> {
    let answers = socket.send_packed_commands(cmds, 0, cmds.len()).await?;
    Value::Array(answers).extract_error()
}

fn by_hash(calls: &[Call]) -> Pipeline {
    let mut pipeline = Pipeline::with_capacity(calls.len());
    for call in calls {
        pipeline.add_command(call.by_hash().clone());
    }
    pipeline
}

fn by_source(calls: &[Call]) -> Pipeline {
    let mut pipeline = Pipeline::with_capacity(calls.len());
    for call in calls {
        pipeline.add_command(call.by_source());
    }
    pipeline
}

fn is_unknown(error: &redis::RedisError) -> bool {
    Fault::of(error).kind == "noscript"
}

fn is_replica(role: Option<&Value>) -> bool {
    let Some(Value::Array(role)) = role else {
        return false;
    };
    matches!(role.first(), Some(Value::BulkString(name)) if name == b"slave")
}
