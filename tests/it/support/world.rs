//! Servers, a recording Bot API and a Telegram, ready for a play.

use super::bot_api::{BotApi, Call};
use super::patience::until;
use super::redis_server::RedisServer;
use super::server::{Server, Setup, outcome};
use super::updates::{Telegram, Update};

/// Servers on one store, and what is around them.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) api: BotApi,
    pub(crate) setup: Setup,
    pub(crate) servers: Vec<Server>,
    pub(crate) telegram: Telegram,
}

/// What a photo is answered.
pub(crate) const ASKED: &str = "What shall the caption be?";

/// How the answer to a photo with its caption begins.
pub(crate) const THANKS: &str = "Thank you! A photo";

/// What a photo with its caption is answered.
pub(crate) fn thanks(caption: &str) -> String {
    format!("{THANKS}: “{caption}”.")
}

/// What `/help` is answered.
const HELP: &str = "/menu – What I can do";

impl World {
    /// Two servers on the Redis that tests share.
    pub(crate) async fn two() -> Self {
        Self::two_with(&[]).await
    }

    /// Two servers on the Redis that tests share, with these variables.
    pub(crate) async fn two_with(variables: &[(&str, &str)]) -> Self {
        let api = BotApi::start();
        let setup = Setup::redis(&api, RedisServer::shared());
        Self::raise(api, with(setup, variables), 2).await
    }

    /// This many servers of this set-up. Every other one works with several threads: nothing may depend on how many there are.
    pub(crate) async fn raise(api: BotApi, setup: Setup, count: usize) -> Self {
        let mut servers = Vec::new();
        for place in 0..count {
            let setup = match place % 2 {
                0 => setup.clone(),
                _ => setup.clone().with("WORKER_THREADS", "4"),
            };
            servers.push(setup.start().await);
        }
        let telegram = Telegram::to(&servers);
        Self { api, setup, servers, telegram }
    }

    /// Delivers an update until it is taken.
    pub(crate) async fn deliver(&self, update: Update) {
        self.telegram.deliver(&update).await;
    }

    /// Everything this person was told by what they did so far. Lanes are in order: when the answer to one more command is
    /// there, all before it are. What others tell them may follow it at once, so that it need not be the last.
    pub(crate) async fn told(&self, user: i64) -> Vec<String> {
        let helped = |texts: &[String]| texts.iter().filter(|text| is_help(text)).count();
        let before = helped(&self.api.texts(user));
        self.deliver(Update::text(user, "/help")).await;
        let mut texts = until(format!("chat {user} is helped"), async || {
            let texts = self.api.texts(user);
            (helped(&texts) > before).then_some(texts)
        })
        .await;
        texts.retain(|text| !is_help(text));
        texts
    }

    /// Sends a photo and waits for the question about it.
    pub(crate) async fn asked_for_caption(&self, user: i64) -> Call {
        let before = self.api.sent(user).len();
        self.deliver(Update::photo(user)).await;
        let sent = self.api.until_sent(user, before + 1).await;
        sent.last().expect("a question").clone()
    }

    /// The set-up of commands that ask the first server.
    pub(crate) fn desk(&self) -> Setup {
        let ops = self.servers[0].ops().to_string();
        self.setup.clone().with("OPS_ADDR", &ops)
    }

    /// Runs a command against the first server; answers the exit code, and what was said.
    pub(crate) fn command(&self, arguments: &[&str]) -> (i32, String) {
        outcome(&self.desk().run(arguments))
    }

    /// The sum of a metric over all servers.
    pub(crate) async fn total(&self, name: &str, labels: &[&str]) -> f64 {
        let mut total = 0.0;
        for server in &self.servers {
            total += server.metrics().await.sum(name, labels);
        }
        total
    }

    /// Waits until every server counts so many dialogues in each of these states, and none in any other.
    pub(crate) async fn until_counted(&self, states: &[(&str, usize)]) {
        const ACTIVE: &str = "steadfast_dialogues_active";
        let all: usize = states.iter().map(|(_, count)| count).sum();
        for server in &self.servers {
            until(format!("the dialogues are {states:?}"), async || {
                let metrics = server.metrics().await;
                let count = |labels: &[&str]| metrics.sum(ACTIVE, labels) as usize;
                let fits = |(state, expected): &(&str, usize)| {
                    count(&[&format!("state=\"{state}\"")]) == *expected
                };
                (states.iter().all(fits) && count(&[]) == all).then_some(())
            })
            .await;
        }
    }

    /// Waits until no lane has anything in it, nor an owner, nor a time to be worked at.
    pub(crate) async fn until_lanes_are_empty(&self, redis: &RedisServer) {
        let prefix = self.setup.value("REDIS_PREFIX");
        until("the lanes are empty", async || redis.left_in_lanes(prefix).is_empty().then_some(()))
            .await;
    }
}

fn is_help(text: &str) -> bool {
    text.starts_with(HELP)
}

/// A set-up with these variables.
pub(crate) fn with(setup: Setup, variables: &[(&str, &str)]) -> Setup {
    let set = |setup: Setup, (name, value): &(&str, &str)| setup.with(name, value);
    variables.iter().fold(setup, set)
}
