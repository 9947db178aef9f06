//! Logs and metrics: what the process says about itself, and what it never says.

use std::io::{self, IsTerminal};
use std::panic;
use std::sync::{Arc, OnceLock};

use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use secrecy::SecretString;
use tracing::{Level, Subscriber, error};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{Log, LogFormat};

mod buckets;
mod catalogue;
mod json;
mod metric;
pub mod process;
mod redact;
mod sink;

pub use catalogue::{CATALOGUE, announce_build};
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
    let filtered = tracing_subscriber::registry().with(filter(&log.filter));
    // Both fail only where a subscriber is set already, as in tests.
    let _ = match log.format {
        LogFormat::Text => filtered.with(text(redact, sink)).try_init(),
        LogFormat::Json => filtered.with(JsonLines::new(redact, sink)).try_init(),
    };
}

/// Lines for people.
fn text<S: Subscriber + for<'a> LookupSpan<'a>>(redact: Arc<Redact>, sink: Sink) -> impl Layer<S> {
    tracing_subscriber::fmt::layer()
        .with_ansi(io::stderr().is_terminal())
        // Nobody may be there to read it any more, which is no reason to panic.
        .log_internal_errors(false)
        .with_writer(Redacted::new(redact, sink))
}

/// The caps first: what is asked for by name still wins over them.
fn filter(asked: &str) -> Targets {
    let capped = format!("{CAPS},{asked}").parse();
    capped.unwrap_or_else(|_| Targets::new().with_default(Level::ERROR))
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
    CATALOGUE.iter().try_fold(PrometheusBuilder::new(), |builder, metric| match metric.kind {
        Kind::Histogram(buckets) => {
            builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)
        }
        Kind::Counter | Kind::Gauge => Ok(builder),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_say_little_unless_they_are_asked_by_name() {
        let quiet = filter("trace");
        assert!(quiet.would_enable("steadfast::outbox", &Level::TRACE));
        assert!(quiet.would_enable("hyper::client", &Level::WARN));
        assert!(!quiet.would_enable("hyper::client", &Level::INFO));
        assert!(filter("info,hyper=debug").would_enable("hyper::client", &Level::DEBUG));
    }

    #[test]
    fn one_part_can_say_more_than_the_rest() {
        let outbox = filter("info,steadfast::outbox=debug");
        assert!(outbox.would_enable("steadfast::outbox::worker", &Level::DEBUG));
        assert!(!outbox.would_enable("steadfast::turn", &Level::DEBUG));
    }
}
