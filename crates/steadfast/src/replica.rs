//! This replica among the others: its sign of life, and what the others are known to read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use metrics::gauge;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::store::{Millis, OUTAGE_GAP, OUTAGE_GRACE, Pulse, Store, Token};

/// How often a replica gives a sign of life.
const INTERVAL: Duration = Duration::from_secs(1);

/// What a replica tells the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Its version.
    pub version: String,
    /// The newest schema of each flow that it reads.
    pub schemas: BTreeMap<String, u32>,
    /// Marks of the webhook secrets that it accepts.
    #[serde(default)]
    pub secrets: BTreeSet<String>,
}

/// What is known of the replicas that are alive, this one included.
#[derive(Debug, Clone, Default)]
pub struct Peers(Arc<ArcSwap<Known>>);

#[derive(Debug, Clone, Default)]
struct Known {
    schemas: BTreeMap<String, u32>,
    secrets: BTreeSet<String>,
    versions: BTreeSet<String>,
    hold: Option<Millis>,
    replicas: usize,
    /// The store's time of the last sign of life.
    heard: Millis,
}

impl Peers {
    /// Whether some replica reads this flow in this schema.
    pub fn read(&self, flow: &str, schema: u32) -> bool {
        self.0.load().schemas.get(flow).is_some_and(|newest| *newest >= schema)
    }

    /// Timers due at or before this are left alone for now: they fell into an outage, or into the minutes after it in which what was
    /// answered before is still being redelivered. A press of a button carries no date that would show it to be in time.
    pub fn hold(&self) -> Option<Millis> {
        self.0.load().hold
    }

    /// Whether every replica accepts the secret of this mark.
    pub fn accept(&self, mark: &str) -> bool {
        self.0.load().secrets.contains(mark)
    }

    /// Whether no outage can have ended since the last sign of life, so that [`Peers::hold`] still holds at `now` of the store.
    /// After a freeze, of the store or of this process, the sweeper may well be quicker than the next sign of life.
    pub fn is_current(&self, now: Millis) -> bool {
        let gap = Duration::from_millis(now.saturating_sub(self.0.load().heard));
        gap <= OUTAGE_GAP
    }

    /// Whether replicas of several versions are alive, as while a new one is rolled out: what this one does not know, another may.
    pub fn are_mixed(&self) -> bool {
        self.0.load().versions.len() > 1
    }

    /// Time has passed at once, of the store and of its signs of life alike.
    pub fn leap(&self, by: Millis) {
        self.0.rcu(|known| Known { heard: known.heard + by, ..Known::clone(known) });
    }

    /// How many replicas are alive.
    pub fn count(&self) -> usize {
        self.0.load().replicas
    }

    fn learn(&self, pulse: &Pulse) {
        let infos =
            pulse.replicas.iter().filter_map(|(_, info)| serde_json::from_slice::<Info>(info).ok());
        let (mut schemas, mut secrets) = (BTreeMap::new(), None);
        let mut versions = BTreeSet::new();
        for info in infos {
            versions.insert(info.version);
            for (flow, schema) in info.schemas {
                let newest = schemas.entry(flow).or_insert(schema);
                *newest = schema.max(*newest);
            }
            secrets = Some(
                secrets
                    .map_or_else(|| info.secrets.clone(), |all: BTreeSet<_>| &all & &info.secrets),
            );
        }
        self.0.store(Arc::new(Known {
            schemas,
            secrets: secrets.unwrap_or_default(),
            versions,
            hold: pulse.hold.map(after_grace),
            replicas: pulse.replicas.len(),
            heard: pulse.now,
        }));
    }
}

/// Until when redelivered answers come first, after an outage that ended then.
fn after_grace(end: Millis) -> Millis {
    end.saturating_add(OUTAGE_GRACE.as_millis() as Millis)
}

/// Gives signs of life until told to stop, then signs off. Notes in the file `company` that it is not alone.
pub async fn beat(
    store: Arc<dyn Store>,
    info: Info,
    peers: Peers,
    mut company: Option<PathBuf>,
    stop: CancellationToken,
) {
    let name = Token::fresh().to_string();
    let info: bytes::Bytes = serde_json::to_vec(&info).expect("info is plain data").into();
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut outage = None;
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = stop.cancelled() => break,
        }
        let Ok(pulse) = store.beat(&name, Some(info.clone())).await else {
            continue;
        };
        if pulse.hold.is_some() && pulse.hold != outage {
            tracing::warn!(
                "there was an outage; timers wait three minutes for redelivered answers"
            );
        }
        outage = pulse.hold;
        if pulse.replicas.len() > 1
            && let Some(file) = company.take()
        {
            // Nobody waits for it: the disk may be away.
            tokio::task::spawn_blocking(move || note_company(&file));
        }
        peers.learn(&pulse);
        gauge!("steadfast_replicas").set(pulse.replicas.len() as f64);
    }
    if let Err(error) = store.beat(&name, None).await {
        tracing::debug!(%error, "the sign-off was not heard");
    }
}

/// Best effort: it only guards a start without Redis.
fn note_company(file: &Path) {
    let written = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(file, "another replica of this bot was alive\n"));
    if let Err(error) = written {
        tracing::debug!(%error, "it could not be noted that there are other replicas");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_all_replicas_counts() {
        let info = |schema| Info {
            version: format!("{schema}"),
            schemas: BTreeMap::from([("order".to_owned(), schema)]),
            secrets: BTreeSet::new(),
        };
        for schemas in [[1, 2], [2, 1]] {
            let peers = Peers::default();
            let replicas = schemas.map(|schema| {
                let info = serde_json::to_vec(&info(schema)).unwrap();
                (schema.to_string(), info.into())
            });
            peers.learn(&Pulse { replicas: replicas.into(), ..Pulse::default() });
            assert!(peers.read("order", 2) && !peers.read("order", 3));
            assert!(peers.are_mixed());
        }
    }
}
