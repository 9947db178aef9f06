//! Putting each part of the configuration together from its variables.

use secrecy::SecretString;

use super::env::{Env, Noted, Problems};
use super::{
    Config, Dialogue, Log, Mode, Ops, Source, Stop, StoreConfig, Telegram, Webhook, company,
    limits, records, value,
};
use crate::dialogue::Role;

impl Config {
    pub(super) fn gather(
        env: &mut Env<'_>,
        mode: Mode,
        roles: &'static [Role],
    ) -> Result<Self, Noted> {
        let (telegram, webhook) = (Telegram::gather(env), Webhook::gather(env, mode));
        let (ops, store) = (Ops::gather(env), StoreConfig::gather(env));
        let (records, company) = (records::gather(env), company::gather(env));
        let retention = records::retention(env);
        let staff = company::staff(env, roles);
        let (dialogue, stop, log) = (Dialogue::gather(env), Stop::gather(env), Log::gather(env));
        let media = env.optional("MEDIA_DIR", |text| Ok(text.into()));
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
            media: media?,
            retention: retention?,
            roles,
            staff: staff?,
            company: company?,
            dialogue: dialogue?,
            stop: stop?,
            log: log?,
        })
    }
}

pub(super) fn threads(env: &mut Env<'_>) -> Result<usize, Noted> {
    env.parse("WORKER_THREADS", value::threads)
}

impl Telegram {
    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let token = env.required_secret("BOT_TOKEN", "give the token that @BotFather gave you");
        let api_url = env.parse("TELEGRAM_API_URL", value::base_url);
        let limits = env.parse("TELEGRAM_LIMITS", limits::parse);
        let token = token.and_then(|token| env.shaped("BOT_TOKEN", &token, value::token));
        Ok(Self { token: token?, api_url: api_url?, limits: limits? })
    }
}

impl Webhook {
    pub(super) fn gather(env: &mut Env<'_>, mode: Mode) -> Result<Self, Noted> {
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

    fn secrets(env: &mut Env<'_>, mode: Mode) -> Result<Vec<SecretString>, Noted> {
        let fix = "make one up, for example with `openssl rand -hex 32`";
        match mode {
            Mode::Poll => Ok(Vec::new()),
            Mode::Webhook => env
                .required_secret("WEBHOOK_SECRET", fix)
                .and_then(|list| env.shaped("WEBHOOK_SECRET", &list, value::secrets)),
        }
    }
}

impl Ops {
    /// Reads only what it takes to find a running server.
    pub fn read(source: Source<'_>) -> Result<Self, Problems> {
        let mut env = Env::new(source);
        let ops = Self::gather(&mut env);
        env.finish(ops)
    }

    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let (listen, token) = (env.parse("OPS_ADDR", value::address), env.secret("OPS_TOKEN"));
        Ok(Self { listen: listen?, token: token? })
    }
}

impl Dialogue {
    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let scope = env.parse("DIALOGUE_SCOPE", value::scope);
        let state_ttl = env.either("STATE_TTL", "REDIS_FSM_STATE_TTL", value::ttl);
        let data_ttl = env.either("DATA_TTL", "REDIS_FSM_DATA_TTL", value::ttl);
        Ok(Self { scope: scope?, state_ttl: state_ttl?, data_ttl: data_ttl?.ok_or(Noted)? })
    }
}

impl Stop {
    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let drain = env.parse("DRAIN_DELAY", value::duration);
        let deadline = env.parse("SHUTDOWN_DEADLINE", value::duration);
        let (drain_delay, deadline) = (drain?, deadline?);
        if drain_delay >= deadline {
            return env.complain(
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
        let mut env = Env::new(source);
        let log = Self::gather(&mut env);
        env.finish(log)
    }

    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let format = env.parse("LOG_FORMAT", value::log_format);
        let filter = env.parse("RUST_LOG", value::log_filter);
        let texts = env.parse("LOG_TEXTS", value::boolean);
        Ok(Self { format: format?, filter: filter?, texts: texts? })
    }
}
