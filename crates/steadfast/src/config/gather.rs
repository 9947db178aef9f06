//! Putting each part of the configuration together from its variables.

use secrecy::SecretString;

use super::env::{Env, Invalid, Problems};
use super::{
    Declared, Dialogue, Log, Mode, Ops, ServerConfig, Source, Stop, StoreConfig, Telegram, Webhook,
    limits, records, staff, value,
};

impl ServerConfig {
    pub(super) fn gather(
        env: &mut Env<'_>,
        mode: Mode,
        declared: &Declared,
    ) -> Result<Self, Invalid> {
        let (telegram, webhook) = (Telegram::gather(env), Webhook::gather(env, mode));
        let (ops, store) = (Ops::gather(env), StoreConfig::gather(env));
        let records = records::gather(env, declared);
        let staff = staff::gather(env, declared.roles);
        let (dialogue, stop, log) = (Dialogue::gather(env), Stop::gather(env), Log::gather(env));
        // The threads are there before the rest is read.
        let threads = threads(env);
        let store = store?;
        threads?;
        Ok(Self {
            mode,
            telegram: telegram?,
            webhook: webhook?,
            ops: ops?,
            ignored: store.ignores(env),
            is_tried: false,
            store,
            records: records?,
            roles: declared.roles,
            staff: staff?,
            dialogue: dialogue?,
            stop: stop?,
            log: log?,
        })
    }
}

pub(super) fn threads(env: &mut Env<'_>) -> Result<usize, Invalid> {
    env.parse("WORKER_THREADS", value::threads)
}

impl Telegram {
    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let token = env.required_secret("BOT_TOKEN", "give the token that @BotFather gave you");
        let api_url = env.parse("TELEGRAM_API_URL", value::base_url);
        let limits = env.parse("TELEGRAM_LIMITS", limits::parse);
        let token = token.and_then(|token| env.parse_secret("BOT_TOKEN", &token, value::token));
        Ok(Self { token: token?, api_url: api_url?, limits: limits? })
    }
}

impl Webhook {
    pub(super) fn gather(env: &mut Env<'_>, mode: Mode) -> Result<Self, Invalid> {
        let secrets = Self::secrets(env, mode);
        let url = env.optional("WEBHOOK_URL", value::public_url);
        let max_connections = env.parse("WEBHOOK_MAX_CONNECTIONS", value::connections);
        let listen = env.parse("LISTEN_ADDR", value::address);
        let path = env.parse("WEBHOOK_PATH", value::path);
        let max_in_flight = env.parse("MAX_IN_FLIGHT", value::count);
        Ok(Self {
            listen: listen?,
            path: path?,
            secrets: secrets?,
            url: url?,
            max_connections: max_connections?,
            max_in_flight: max_in_flight?,
        })
    }

    fn secrets(env: &mut Env<'_>, mode: Mode) -> Result<Vec<SecretString>, Invalid> {
        let fix = "make one up, for example with `openssl rand -hex 32`";
        match mode {
            Mode::Poll => Ok(Vec::new()),
            Mode::Webhook => {
                let list = env.required_secret("WEBHOOK_SECRET", fix)?;
                let secrets = env.parse_secret("WEBHOOK_SECRET", &list, value::secrets)?;
                secrets.iter().for_each(|secret| env.hide(secret.clone()));
                Ok(secrets)
            }
        }
    }
}

impl Ops {
    /// Reads only what it takes to find a running server.
    pub fn read(source: Source<'_>) -> Result<Self, Problems> {
        let mut env = Env::of_server(source);
        let ops = Self::gather(&mut env);
        env.finish(ops).map(|(ops, _)| ops)
    }

    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let (listen, token) = (env.parse("OPS_ADDR", value::address), env.secret("OPS_TOKEN"));
        Ok(Self { listen: listen?, token: token? })
    }
}

impl Dialogue {
    /// Reads how long dialogues wait. Settings of a bot may depend on it.
    pub fn gather(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let scope = env.parse("DIALOGUE_SCOPE", value::scope);
        let state_ttl = env.with_alias("STATE_TTL", "REDIS_FSM_STATE_TTL", value::ttl);
        let data_ttl = env.with_alias("DATA_TTL", "REDIS_FSM_DATA_TTL", value::ttl);
        Ok(Self { scope: scope?, state_ttl: state_ttl?, data_ttl: data_ttl?.ok_or(Invalid(()))? })
    }
}

impl Stop {
    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let drain = env.parse("DRAIN_DELAY", value::duration);
        let deadline = env.parse("SHUTDOWN_DEADLINE", value::duration);
        let (drain_delay, deadline) = (drain?, deadline?);
        if drain_delay >= deadline {
            return env.report(
                "DRAIN_DELAY is not shorter than SHUTDOWN_DEADLINE: nothing could be finished after the drain; \
                 lower the first or raise the second",
            );
        }
        Ok(Self { drain_delay, deadline })
    }
}

impl Log {
    /// Reads only how to log.
    pub fn read(source: Source<'_>) -> Result<Self, Problems> {
        let mut env = Env::of_server(source);
        let log = Self::gather(&mut env);
        env.finish(log).map(|(log, _)| log)
    }

    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let format = env.parse("LOG_FORMAT", value::log_format);
        let filter = env.parse("RUST_LOG", value::log_filter);
        let texts = env.parse("LOG_TEXTS", value::boolean);
        Ok(Self { format: format?, filter: filter?, texts: texts? })
    }
}
