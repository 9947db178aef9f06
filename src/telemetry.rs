//! Logs and metrics: what the process says about itself, and what it never says.

use std::io::{self, IsTerminal};
use std::panic;
use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use secrecy::SecretString;
use tracing::error;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{Log, LogFormat};

mod buckets;
mod catalogue;
mod json;
mod metric;
mod redact;
mod sink;

pub use catalogue::CATALOGUE;
pub use metric::{Kind, Metric};
pub use redact::{Redact, Redacted};
pub use sink::Sink;

use json::JsonLines;

/// What others may log at most: their debug lines show addresses and headers.
const CAPS: &str = "hyper=warn,h2=warn,rustls=warn,reqwest=warn";

/// Where this process logs to.
static SINK: OnceLock<Sink> = OnceLock::new();

/// Starts logging to the standard error stream, with `secrets` struck out. Only the first call has an effect.
pub fn log(log: &Log, secrets: &[SecretString]) -> io::Result<()> {
    let sink = Sink::new(io::stderr())?;
    let _ = SINK.set(sink.clone());
    subscribe(log, Arc::new(Redact::new(secrets)), sink);
    panic::set_hook(Box::new(report_panic));
    Ok(())
}

/// Writes what is still to be written of the log; to be called before the process ends.
pub fn flush() {
    if let Some(sink) = SINK.get() {
        sink.flush();
    }
}

fn subscribe(log: &Log, redact: Arc<Redact>, sink: Sink) {
    let filter = filter(&log.filter);
    // Both fail only where a subscriber is set already, as in tests.
    let _ = match log.format {
        LogFormat::Text => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(io::stderr().is_terminal())
            // Nobody may be there to read it any more, which is no reason to panic.
            .log_internal_errors(false)
            .with_writer(Redacted::new(redact, sink))
            .try_init(),
        LogFormat::Json => tracing_subscriber::registry()
            .with(filter)
            .with(JsonLines::new(redact, sink))
            .try_init()
            .map_err(Into::into),
    };
}

/// The caps first: what is asked for by name still wins over them.
fn filter(asked: &str) -> EnvFilter {
    EnvFilter::try_new(format!("{CAPS},{asked}")).unwrap_or_else(|_| EnvFilter::new(CAPS))
}

/// Says where, and not what: the payload of a panic may quote what a person wrote.
fn report_panic(info: &panic::PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    metrics::counter!("steadfast_panics_total").increment(1);
    error!(place = place.unwrap_or_default(), "a panic");
}

/// Starts counting, with everything in the catalogue at zero.
pub fn metrics() -> Result<PrometheusHandle, BuildError> {
    let handle = builder()?.install_recorder()?;
    catalogue::announce();
    Ok(handle)
}

/// A recorder that is not installed, with everything in the catalogue at zero. Use it with
/// `metrics::with_local_recorder`.
pub fn recorder() -> Result<PrometheusRecorder, BuildError> {
    let recorder = builder()?.build_recorder();
    ::metrics::with_local_recorder(&recorder, catalogue::announce);
    Ok(recorder)
}

fn builder() -> Result<PrometheusBuilder, BuildError> {
    CATALOGUE
        .iter()
        .try_fold(PrometheusBuilder::new(), |builder, metric| {
            match metric.kind {
                Kind::Histogram(buckets) => {
                    builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)
                }
                Kind::Counter | Kind::Gauge => Ok(builder),
            }
        })
}
