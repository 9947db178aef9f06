//! `serve` and `poll`: from the configuration to a running server, and back.

use std::io::Read as _;
use std::pin::{Pin, pin};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::Failure;
use crate::bot::Bot;
use crate::config::{Config, Mode, Settings, Source};
use crate::server::{self, Signal, StopSignal, supervisor};
use crate::store::Millis;
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

pub(super) async fn run<S: Settings>(
    serve: Serve,
    source: Source<'_>,
    mode: Mode,
    bot: &Bot<S>,
) -> Result<ExitCode, Failure> {
    let mut config = Config::read(source, mode, &bot.declared())?;
    config.server.is_tried = serve.playground.is_some();
    telemetry::log(&config.server.log, &config.secrets).map_err(Failure::plain)?;
    for finding in config.server.advice() {
        warn!(check = finding.check, "{}", finding.advice);
    }
    let mut stop = StopSignal::new(end_at_once).map_err(Failure::plain)?;
    let mut end = pin!(abandoned(serve.leashed || serve.playground.is_some()));
    let app = tokio::select! {
        app = server::start(bot, &config, serve.playground) => app.map_err(Failure::plain)?,
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
