//! `serve` and `poll`: from the configuration to a running server, and back.

use std::process::ExitCode;

use tracing::info;

use super::Failure;
use crate::app::{self, App, Bot, Listeners, Parts, Signals};
use crate::config::{Config, Mode, Source};
use crate::telemetry;

pub(super) async fn run(source: Source<'_>, mode: Mode) -> Result<ExitCode, Failure> {
    let config = Config::read_for(source, mode)?;
    telemetry::log(&config.log, &config.secrets());
    let mut signals = Signals::new().map_err(Failure::plain)?;
    let parts = parts(&config).await?;
    let app = App::start(&config, parts).await.map_err(Failure::plain)?;
    // Not inside the log line: where nobody listens to `info`, its arguments are not evaluated.
    let signal = signals.next().await;
    info!(signal = signal.name(), "stopping");
    tokio::spawn(async move { std::process::exit(signals.next().await.code()) });
    app.stop().await;
    Ok(ExitCode::SUCCESS)
}

async fn parts(config: &Config) -> Result<Parts, Failure> {
    let metrics = telemetry::metrics().map_err(Failure::plain)?;
    let listeners = Listeners::bind(config).await.map_err(Failure::plain)?;
    let store = app::open(config).await.map_err(Failure::plain)?;
    store.inspect().await;
    let records = app::open_records(config).await.map_err(Failure::plain)?;
    Ok(Parts {
        listeners,
        bot: Bot::new(config, &store.store, &records),
        records: Some(records),
        store,
        metrics,
    })
}
