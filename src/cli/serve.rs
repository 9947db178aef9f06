//! `serve` and `poll`: from the configuration to a running server, and back.

use std::io::Read as _;
use std::pin::{Pin, pin};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::{Company, DECLARED, Failure};
use crate::app::{self, App, Bot, ExtraRoutes, Listeners, Parts, Signal, StopSignal, supervisor};
use crate::company::records::{self, sample};
use crate::config::{Config, Mode, Source};
use crate::store::{Clock, Millis, Shift};
use crate::telemetry;

/// How long one that was abandoned may take to stop.
const LONGEST_STOP: Duration = Duration::from_secs(15);

/// Why one stops whose standard input has ended.
const ABANDONED: &str = "abandoned";

#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Serve {
    /// For the playground: the clock is so many milliseconds ahead and can be moved, no `.env` is read, and the server stops
    /// when its standard input ends, be it because the playground was killed.
    #[arg(long, hide = true, value_name = "MILLISECONDS")]
    pub(super) playground: Option<Millis>,
    /// For whoever starts it: it stops when its standard input ends, be it because they were killed.
    #[arg(long, hide = true)]
    leashed: bool,
}

pub(super) async fn run(serve: Serve, source: Source<'_>, mode: Mode) -> Result<ExitCode, Failure> {
    let mut config = Config::read(source, mode, &DECLARED)?;
    config.server.is_tried = serve.playground.is_some();
    telemetry::log(&config.server.log, &config.secrets).map_err(Failure::plain)?;
    for finding in config.server.advice() {
        warn!(check = finding.check, "{}", finding.advice);
    }
    let mut stop = StopSignal::new(end_at_once).map_err(Failure::plain)?;
    let mut end = pin!(abandoned(serve.leashed || serve.playground.is_some()));
    let app = tokio::select! {
        app = start(&config, serve.playground) => app?,
        // Nothing was promised to anybody yet: whatever is open goes with the process.
        reason = told_to_stop(&mut stop, end.as_mut()) => {
            info!(signal = reason, "stopped before it had started");
            return Ok(ExitCode::SUCCESS);
        }
    };
    supervisor::ready();
    tokio::spawn(supervisor::reassure());
    let reason = told_to_stop(&mut stop, end).await;
    info!(signal = reason, "stopping");
    supervisor::stopping();
    if reason == ABANDONED {
        stop.unasked();
    }
    app.stop().await;
    Ok(ExitCode::SUCCESS)
}

fn end_at_once(signal: Signal) {
    telemetry::flush();
    std::process::exit(signal.code());
}

async fn start(config: &Config<Company>, ahead: Option<Millis>) -> Result<App, Failure> {
    let parts = parts(config, ahead).await?;
    App::start(&config.server, parts).await.map_err(Failure::plain)
}

/// Why it is to stop, once it is.
async fn told_to_stop(
    stop: &mut StopSignal,
    end: Pin<&mut impl Future<Output = ()>>,
) -> &'static str {
    tokio::select! {
        signal = stop.asked() => signal.name(),
        () = end => ABANDONED,
    }
}

async fn parts(config: &Config<Company>, ahead: Option<Millis>) -> Result<Parts, Failure> {
    let server = &config.server;
    let metrics = telemetry::metrics().map_err(Failure::plain)?;
    let listeners = Listeners::bind(server).await.map_err(Failure::plain)?;
    let shift = ahead.map(Shift::new);
    let clock = shift.as_ref().map_or_else(Clock::system, Clock::ahead);
    let store = match shift {
        Some(shift) => app::open_ahead(server, shift).await,
        None => app::open(server).await,
    };
    let store = store.map_err(Failure::plain)?;
    store.inspect().await;
    let database = server.records.as_ref().expect("the bot declares records");
    let (staff, schema) = (server.staff.clone(), records::schema(&config.settings));
    let settings = Arc::clone(&config.settings);
    let records = app::open_records(database, clock, staff, schema, settings).await;
    let records = records.map_err(Failure::plain)?;
    if server.is_tried {
        sample::furnish(&records).await.map_err(Failure::plain)?;
    }
    Ok(Parts {
        listeners,
        bot: Bot::new(config, &store.store, Some(&records)),
        routes: ExtraRoutes::default(),
        records: Some(records),
        store,
        metrics,
    })
}

/// The end of whoever started this process, if it depends on that.
async fn abandoned(depends: bool) {
    let (tell, told) = oneshot::channel::<()>();
    if depends {
        // A thread of its own, since it may wait there when everything else has ended.
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            while matches!(input.read(&mut [0; 64]), Ok(1..)) {}
            drop(tell);
            // Whatever hangs: it is never left behind.
            std::thread::sleep(LONGEST_STOP);
            std::process::exit(1);
        });
        // Nothing is ever sent: the sender is dropped.
        let _ = told.await;
    } else {
        std::future::pending().await
    }
}
