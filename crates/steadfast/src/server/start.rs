//! From a declared bot to a running server.

use std::io;
use std::sync::Arc;

use super::{
    App, ExtraRoutes, Listeners, NoDatabase, Parts, Server, open, open_ahead, open_records,
};
use crate::bot::{Bot, Listener, Running};
use crate::config::{Config, Settings};
use crate::records::Sql;
use crate::store::{Clock, Millis, Shift};
use crate::telemetry;

/// Opens everything that a bot needs, and starts the server. `ahead` moves the clock of a playground.
pub(crate) async fn start<S: Settings>(
    bot: &Bot<S>,
    config: &Config<S>,
    ahead: Option<Millis>,
) -> io::Result<App> {
    let server = &config.server;
    let metrics = telemetry::metrics().map_err(io::Error::other)?;
    let listeners = Listeners::bind(server).await?;
    let shift = ahead.map(Shift::new);
    let clock = shift.as_ref().map_or_else(Clock::system, Clock::ahead);
    let store = match shift {
        Some(shift) => open_ahead(server, shift).await,
        None => open(server).await,
    };
    let store = store.map_err(io::Error::other)?;
    store.inspect().await;
    let records = records(bot, config, clock).await.map_err(io::Error::other)?;
    let mut parts = Server::new(bot, config, &store.store, records.as_ref());
    let running = Running {
        settings: Arc::clone(&config.settings),
        store: Arc::clone(&store.store),
        records: records.clone(),
        telegram: parts.telegram.clone(),
    };
    if let (true, Some(sample)) = (server.is_tried, &bot.sample) {
        sample(running.clone()).await?;
    }
    parts.workers.extend(bot.workers.iter().filter_map(|worker| worker(&running)));
    let routes = routes(bot, &running);
    App::start(server, Parts { listeners, store, server: parts, routes, records, metrics }).await
}

/// Opens the records, if the bot has any.
async fn records<S: Settings>(
    bot: &Bot<S>,
    config: &Config<S>,
    clock: Clock,
) -> Result<Option<Arc<Sql>>, NoDatabase> {
    let (Some(schema), Some(database)) = (&bot.schema, &config.server.records) else {
        return Ok(None);
    };
    let (staff, settings) = (config.server.staff.clone(), Arc::clone(&config.settings));
    open_records(database, clock, staff, schema(&settings), settings).await.map(Some)
}

/// Returns the routes of the bot for each listener.
fn routes<S: Settings>(bot: &Bot<S>, running: &Running<S>) -> ExtraRoutes {
    let mut all = ExtraRoutes::default();
    for routes in &bot.routes {
        let router = (routes.router)(running);
        let listener = match routes.listener {
            Listener::Public => &mut all.public,
            Listener::Operator => &mut all.operator,
        };
        *listener = std::mem::take(listener).merge(router);
    }
    all
}
