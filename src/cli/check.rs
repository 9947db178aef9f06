//! `check`: what is unsafe, and how to mend it.

use std::process::ExitCode;

use clap::Args;

use super::Failure;
use super::client::Client;
use crate::app;
use crate::config::{Config, Log, Mode, Source, StoreConfig};
use crate::store::Finding;
use crate::telemetry;

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Check {
    /// For a bot that runs by `poll`, which needs no webhook.
    #[arg(long)]
    poll: bool,
}

pub(super) async fn run(check: Check, source: Source<'_>) -> Result<ExitCode, Failure> {
    let mode = match check.poll {
        true => Mode::Poll,
        false => Mode::Webhook,
    };
    let config = Config::read_for(source, mode)?;
    telemetry::log(&quiet(&config), &config.secrets()).map_err(Failure::plain)?;
    println!("ok       configuration: every variable is understood");
    let opened = match app::open(&config).await {
        Ok(opened) => opened,
        Err(refused) => {
            return in_use(&config, source)
                .await
                .ok_or_else(|| Failure::plain(refused));
        }
    };
    opened.store.ping().await.map_err(Failure::plain)?;
    println!("ok       store: {} answers", opened.store.kind());
    let mut findings = of_configuration(&config, opened.degraded);
    findings.extend(opened.store.inspect().await.map_err(Failure::plain)?);
    opened.store.close().await;
    Ok(report(&findings))
}

/// An embedded store that the running server holds is as it should be; what else there is to say, the server has said.
async fn in_use(config: &Config, source: Source<'_>) -> Option<ExitCode> {
    let embedded = matches!(config.store, StoreConfig::Embedded { .. });
    if !embedded || !Client::new(source).ok()?.is_up().await {
        return None;
    }
    println!(
        "ok       store: held by the server that runs at {}",
        config.ops.listen
    );
    Some(report(&of_configuration(config, false)))
}

/// The findings are the output; the log would say them twice.
fn quiet(config: &Config) -> Log {
    Log {
        filter: "error".into(),
        ..config.log.clone()
    }
}

/// What the configuration alone shows.
fn of_configuration(config: &Config, degraded: bool) -> Vec<Finding> {
    let mut findings = config.advice();
    if degraded {
        let advice = "Redis does not answer, and STORE_FALLBACK=memory would stand in: nothing would survive a restart";
        findings.push(Finding {
            check: "reachability",
            ok: false,
            advice: advice.to_owned(),
        });
    }
    findings
}

fn report(findings: &[Finding]) -> ExitCode {
    for finding in findings {
        let verdict = if finding.ok { "ok     " } else { "warning" };
        println!("{verdict}  {}: {}", finding.check, finding.advice);
    }
    match findings.iter().all(|finding| finding.ok) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
