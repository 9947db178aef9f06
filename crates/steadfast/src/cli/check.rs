//! `check`: what is unsafe, and how to mend it.

use std::process::ExitCode;

use clap::Args;

use super::Failure;
use super::client::Client;
use super::say::say;
use crate::bot::Bot;
use crate::config::{Config, Log, Mode, ServerConfig, Settings, Source, StoreConfig};
use crate::server;
use crate::store::Finding;
use crate::telemetry;

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Check {
    /// For a bot that runs by `poll`, which needs no webhook.
    #[arg(long)]
    poll: bool,
}

pub(super) async fn run<S: Settings>(
    check: Check,
    source: Source<'_>,
    bot: &Bot<S>,
) -> Result<ExitCode, Failure> {
    let mode = match check.poll {
        true => Mode::Poll,
        false => Mode::Webhook,
    };
    let Config { server: config, settings, secrets } = Config::read(source, mode, &bot.declared())?;
    telemetry::log(&quiet(&config), &secrets).map_err(Failure::plain)?;
    say!("ok       configuration: every variable is understood")?;
    let opened = match server::open(&config).await {
        Ok(opened) => opened,
        Err(refused) => {
            if !is_in_use(&config, source).await {
                return Err(Failure::plain(refused));
            }
            say!("ok       store: held by the server that runs at {}", config.ops.listen)?;
            of_records(&config).await?;
            let mut findings = of_configuration(&config, false);
            findings.extend(bot.findings.iter().filter_map(|finding| finding(&settings)));
            return report(&findings);
        }
    };
    opened.store.ping().await.map_err(Failure::plain)?;
    say!("ok       store: {} answers", opened.store.kind())?;
    of_records(&config).await?;
    let mut findings = of_configuration(&config, opened.degraded);
    findings.extend(bot.findings.iter().filter_map(|finding| finding(&settings)));
    findings.extend(opened.store.inspect().await.map_err(Failure::plain)?);
    opened.store.close().await;
    report(&findings)
}

/// An embedded store that the running server holds is as it should be; what else there is to say, the server has said.
async fn is_in_use(config: &ServerConfig, source: Source<'_>) -> bool {
    let embedded = matches!(config.store, StoreConfig::Embedded { .. });
    match Client::new(source) {
        Ok(server) => embedded && server.is_up().await,
        Err(_) => false,
    }
}

/// Without its records the server does not start.
async fn of_records(config: &ServerConfig) -> Result<(), Failure> {
    if let Some(database) = &config.records {
        server::probe_records(database).await.map_err(Failure::plain)?;
        say!("ok       records: {} answers", database.kind())?;
    }
    Ok(())
}

/// The findings are the output; the log would say them twice.
fn quiet(config: &ServerConfig) -> Log {
    Log { filter: "error".into(), ..config.log.clone() }
}

/// What the configuration alone shows.
fn of_configuration(config: &ServerConfig, degraded: bool) -> Vec<Finding> {
    let mut findings = config.advice();
    if degraded {
        let advice = "Redis does not answer, and STORE_FALLBACK=memory would stand in: nothing would survive a restart";
        findings.push(Finding { check: "reachability", ok: false, advice: advice.to_owned() });
    }
    findings
}

fn report(findings: &[Finding]) -> Result<ExitCode, Failure> {
    for finding in findings {
        let verdict = if finding.ok { "ok     " } else { "warning" };
        say!("{verdict}  {}: {}", finding.check, finding.advice)?;
    }
    Ok(match findings.iter().all(|finding| finding.ok) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
