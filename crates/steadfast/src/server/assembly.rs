//! The parts of a server that follow from its bot: the pipeline, the outbox, and the workers beside them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use serde::Deserialize;
use teloxide_core::payloads::SetMyCommands;

use super::Worker;
use crate::bot::{Bot, Build};
use crate::config::{Config, Mode, ServerConfig, Settings, StoreConfig};
use crate::dialogue::Member;
use crate::dialogue::{Edges, Identity, Repertoire, Waits};
use crate::intake::update::UpdateParser;
use crate::outbox::Outbox;
use crate::outbox::telegram::Telegram;
use crate::records::{NoRecords, Records, Sql};
use crate::replica::{self, Info, Peers};
use crate::server::commands;
use crate::server::sweeper;
use crate::server::webhook::{self, Registration};
use crate::store::Store;
use crate::turn::{self, Desk, LeasedQueues, Pipeline, TurnLayer};

/// How long to wait before Telegram is asked again for the bot's name.
const ASK_AGAIN: Duration = Duration::from_secs(30);

/// The parts of a server that follow from its bot.
#[derive(Debug)]
pub struct Server {
    /// Calls the Bot API.
    pub telegram: Telegram,
    /// Reads updates.
    pub reader: UpdateParser,
    /// What updates go through.
    pub pipeline: Pipeline,
    /// What carries out what they cause.
    pub outbox: Outbox,
    /// What is known of the replicas.
    pub peers: Peers,
    /// What runs beside it, in the order in which it is stopped.
    pub workers: Vec<Worker>,
    /// Every state of every flow, as `flow/state`.
    pub states: BTreeSet<String>,
    /// Its name and version.
    pub build: Build,
}

impl Server {
    /// Makes the server of a bot, over this store and these records.
    pub(crate) fn new<S: Settings>(
        bot: &Bot<S>,
        config: &Config<S>,
        store: &Arc<dyn Store>,
        records: Option<&Arc<Sql>>,
    ) -> Self {
        let flows = bot.repertoire_for(&config.settings);
        Self::of(bot.build, flows, &bot.edges(), &bot.layers, &config.server, store, records)
    }

    /// Makes the server of these flows, whose expected transitions are `edges`.
    pub fn of(
        build: Build,
        flows: Repertoire,
        edges: &Edges,
        layers: &[TurnLayer],
        config: &ServerConfig,
        store: &Arc<dyn Store>,
        records: Option<&Arc<Sql>>,
    ) -> Self {
        let waits =
            Waits { state_ttl: config.dialogue.state_ttl, data_ttl: config.dialogue.data_ttl };
        let identity = Identity::new(config.telegram.token.expose_secret());
        let username = Arc::clone(&identity.username);
        let flows = flows.waits(waits).identity(identity);
        let repertoire = Arc::new(flows);
        let info = Info {
            version: format!(
                "{} {}",
                build.version,
                option_env!("STEADFAST_COMMIT").unwrap_or("unknown")
            ),
            schemas: repertoire.schemas(),
            secrets: config.webhook.secrets.iter().map(webhook::mark).collect(),
        };
        let telegram = Telegram::new(&config.telegram.api_url, &config.telegram.token);
        let staff = &config.staff;
        let kept: Arc<dyn Records> = match records {
            Some(sql) => Arc::clone(sql) as _,
            None => Arc::new(NoRecords { staff: staff.clone() }),
        };
        let (leased, receiver) = LeasedQueues::channel();
        let desk =
            Desk { store: Arc::clone(store), records: kept, leased, peers: Peers::default() };
        let anybody = Member::with(staff.default.as_ref());
        let lists = commands::lists(&repertoire, &anybody);
        let members = commands::members::Members {
            repertoire: Arc::clone(&repertoire),
            records: records.cloned(),
            staff: staff.clone(),
            store: Arc::clone(store),
            telegram: telegram.clone(),
            every: match config.is_tried {
                true => commands::members::TRIED_INTERVAL,
                false => commands::members::INTERVAL,
            },
        };
        let pipeline = turn::build(repertoire, edges, desk.clone(), config.log.texts, layers);
        let outbox = Outbox::new(
            Arc::clone(store),
            telegram.clone(),
            Arc::clone(&desk.records),
            pipeline.clone(),
            desk.peers.clone(),
            receiver,
        );
        let reader = UpdateParser { scope: config.dialogue.scope, username };
        Self {
            workers: workers(&desk, &pipeline, &outbox, info, company(config))
                .into_iter()
                .chain(registrar(config, &desk, &telegram))
                .chain([
                    teller(lists, store, &telegram),
                    Worker::new("commands of members", move |stop| {
                        commands::members::keep(members, stop)
                    }),
                    own_name(&reader, telegram.clone()),
                ])
                .chain(records.cloned().map(super::records_upkeep))
                .collect(),
            reader,
            outbox,
            peers: desk.peers,
            pipeline,
            telegram,
            states: edges.states(),
            build,
        }
    }
}

/// Nothing new is looked for first, then what is being sent is finished, then the replica signs off.
fn workers(
    desk: &Desk,
    pipeline: &Pipeline,
    outbox: &Outbox,
    info: Info,
    company: Option<PathBuf>,
) -> Vec<Worker> {
    let Desk { store, peers, .. } = desk.clone();
    let (beat_store, beat_peers) = (Arc::clone(&store), peers.clone());
    let (pipeline, outbox, sweep_outbox) = (pipeline.clone(), outbox.clone(), outbox.clone());
    vec![
        Worker::new("sweeper", move |stop| {
            sweeper::sweep(store, pipeline, sweep_outbox, peers, stop)
        }),
        Worker::new("outbox", async move |stop| {
            stop.cancelled().await;
            outbox.close().await;
        }),
        Worker::new("sign of life", move |stop| {
            replica::beat(beat_store, info, beat_peers, company, stop)
        }),
    ]
}

/// Where to note that there are other replicas.
fn company(config: &ServerConfig) -> Option<PathBuf> {
    match &config.store {
        StoreConfig::Redis(settings) => Some(settings.company.clone()),
        StoreConfig::Memory | StoreConfig::Embedded { .. } => None,
    }
}

/// Keeps the webhook registered, where a public address is configured. Who polls must have none.
fn registrar(config: &ServerConfig, desk: &Desk, telegram: &Telegram) -> Option<Worker> {
    if config.mode == Mode::Poll {
        return None;
    }
    let registration = Registration {
        url: config.webhook.url.clone()?,
        secret: config.webhook.secrets.first()?.clone(),
        max_connections: config.webhook.max_connections,
        every: webhook::INTERVAL,
    };
    let (store, peers, telegram) = (Arc::clone(&desk.store), desk.peers.clone(), telegram.clone());
    Some(Worker::new("webhook registration", move |stop| {
        webhook::keep(registration, store, telegram, peers, stop)
    }))
}

/// Tells Telegram the bot's commands.
fn teller(lists: Vec<SetMyCommands>, store: &Arc<dyn Store>, telegram: &Telegram) -> Worker {
    let (store, telegram) = (Arc::clone(store), telegram.clone());
    Worker::new("commands", move |stop| commands::keep(lists, store, telegram, stop))
}

/// Finds out the bot's own name, so that commands addressed to another bot of a group are left to it.
fn own_name(reader: &UpdateParser, telegram: Telegram) -> Worker {
    #[derive(Deserialize)]
    struct Me {
        username: String,
    }
    let username = Arc::clone(&reader.username);
    Worker::endless("own name", async move {
        loop {
            let me = telegram.ask("getMe", &serde_json::json!({})).await;
            if let Some(me) = me.ok().and_then(|answer| answer.result::<Me>()) {
                // Set once; there is nobody else to set it.
                let _ = username.set(me.username);
                return;
            }
            tokio::time::sleep(ASK_AGAIN).await;
        }
    })
}
