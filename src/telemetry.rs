//! Logs and metrics: what the process says about itself, and what it never says.

use std::io::{self, IsTerminal};
use std::panic;
use std::sync::Arc;

use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use secrecy::SecretString;
use tracing::error;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::{Log, LogFormat};

mod catalogue;
mod redact;

pub use catalogue::{CATALOGUE, Kind, Metric};
pub use redact::{Redact, Redacted};

/// What others may log at most: their debug lines show addresses and headers.
const CAPS: &str = "hyper=warn,h2=warn,rustls=warn,reqwest=warn";

/// Starts logging to the standard error stream, with `secrets` struck out. Only the first call has an effect.
pub fn log(log: &Log, secrets: &[SecretString]) {
    let redact = Arc::new(Redact::new(secrets));
    subscribe(log, Redacted::new(redact, io::stderr));
    panic::set_hook(Box::new(report_panic));
}

fn subscribe<W>(log: &Log, writer: W)
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(&log.filter))
        .with_ansi(io::stderr().is_terminal())
        .with_writer(writer);
    // Both fail only where a subscriber is set already, as in tests.
    let _ = match log.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
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
