//! The bot as a process of its own, and whoever starts it again when it has died.
//!
//! The process is held by its standard input: when that ends, because the playground closes it or is itself killed, the bot stops.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::fs::File;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{OwnedMutexGuard, mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Playground;
use super::said::Said;
use super::status::Status;
use crate::emulator::Millis;
use crate::store::Token;

/// How long to wait before it is started again, if it died before it was ready; twice as long each time.
const BACK_OFF: Duration = Duration::from_millis(250);
/// The longest of these waits. Less than what counts as an outage.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(4);
/// How long it may take to stop.
const STOPS_WITHIN: Duration = Duration::from_secs(10);
/// How long its last words are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What the process is started with.
#[derive(Debug)]
pub(super) struct Plan {
    program: PathBuf,
    /// Where the Bot API is.
    telegram: SocketAddr,
    secret: String,
    /// The variables that the bot declares for a playground.
    variables: Vec<(&'static str, &'static str)>,
    /// Where updates are posted to; another one when it could not listen there.
    webhook: Option<SocketAddr>,
}

impl Plan {
    pub(super) fn new(
        program: PathBuf,
        mut telegram: SocketAddr,
        variables: Vec<(&'static str, &'static str)>,
    ) -> Self {
        if telegram.ip().is_unspecified() {
            telegram.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        Self {
            program,
            telegram,
            secret: format!("{}{}", Token::fresh(), Token::fresh()),
            variables,
            webhook: None,
        }
    }
}

/// Keeps the bot running.
pub(super) struct Keeper {
    playground: Playground,
    plan: Plan,
    kills: mpsc::Receiver<oneshot::Sender<()>>,
}

/// A process of the bot.
struct Life {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
    file: File,
    /// What it said about why it cannot start.
    problem: Option<String>,
    /// Who had it killed. Nobody tells it the time any more.
    killer: Option<(oneshot::Sender<()>, OwnedMutexGuard<()>)>,
}

impl Keeper {
    pub(super) fn new(
        playground: Playground,
        plan: Plan,
        kills: mpsc::Receiver<oneshot::Sender<()>>,
    ) -> Self {
        Self { playground, plan, kills }
    }

    /// Keeps it running until told to stop, and then stops it.
    pub(super) async fn keep(mut self, stop: CancellationToken) {
        let mut failures = 0;
        while !stop.is_cancelled() {
            let was_ready = self.live(&stop).await.unwrap_or_else(|error| {
                let place = self.playground.0.home.path().display();
                let trouble = format!("the bot cannot be started in {place}: {error}");
                self.update(|bot| bot.trouble = Some(trouble));
                false
            });
            if was_ready {
                failures = 0;
                continue;
            }
            self.plan.webhook = None;
            let wait = BACK_OFF.saturating_mul(1 << failures.min(5));
            failures += 1;
            let wait = tokio::time::sleep(wait.min(LONGEST_BACK_OFF));
            stop.run_until_cancelled(wait).await;
        }
    }

    /// Starts it and stays with it to its end. Answers whether it was ever ready.
    async fn live(&mut self, stop: &CancellationToken) -> io::Result<bool> {
        let mut life = self.start().await?;
        // It lives as long as we hold this.
        let leash = life.child.stdin.take();
        let ended = loop {
            tokio::select! {
                line = life.log.next_line() => match line {
                    Ok(Some(line)) => self.hear(&mut life, &line).await,
                    // It has nothing more to say, so it has ended.
                    _ => break life.child.wait().await?,
                },
                Some(killer) = self.kills.recv() => {
                    let timing = match life.killer.take() {
                        Some((_, timing)) => timing,
                        None => Arc::clone(&self.playground.0.timing).lock_owned().await,
                    };
                    life.killer = Some((killer, timing));
                    life.child.start_kill()?;
                }
                ended = life.child.wait() => break ended?,
                () = stop.cancelled() => {
                    drop(leash);
                    return life.end().await.map(|()| true);
                }
            }
        };
        self.hear_out(&mut life).await;
        Ok(self.buried(life, ended))
    }

    async fn start(&mut self) -> io::Result<Life> {
        let webhook = match self.plan.webhook {
            Some(webhook) => webhook,
            None => free_address()?,
        };
        self.plan.webhook = Some(webhook);
        let ahead = self.begin();
        let home = &self.playground.0.home;
        let file = File::options().create(true).append(true).open(home.log()).await?;
        let mut child = Command::new(&self.plan.program)
            .args(["serve", "--playground", &ahead.to_string()])
            .env_clear()
            .envs(self.environment(webhook))
            .current_dir(home.bot())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // Ctrl-C is for us; we tell it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let stderr = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let pid = child.id();
        self.update(|bot| (bot.running, bot.pid) = (true, pid));
        Ok(Life { child, log: BufReader::new(stderr).lines(), file, problem: None, killer: None })
    }

    /// Counts the start, and answers how far its clock is to be ahead.
    fn begin(&self) -> Millis {
        let now = self.playground.0.clock.now();
        let mut ahead = 0;
        self.update(|bot| {
            bot.begin(now);
            ahead = bot.ahead;
        });
        ahead
    }

    /// All that it gets to know; nothing of our own environment.
    fn environment(&self, webhook: SocketAddr) -> Vec<(&'static str, String)> {
        let data = self.playground.0.home.bot().display().to_string();
        let mut environment = vec![
            ("BOT_TOKEN", self.playground.0.token.clone()),
            ("WEBHOOK_SECRET", self.plan.secret.clone()),
            ("TELEGRAM_API_URL", format!("http://{}", self.plan.telegram)),
            ("WEBHOOK_URL", format!("http://{webhook}/webhook")),
            ("LISTEN_ADDR", webhook.to_string()),
            ("OPS_ADDR", "127.0.0.1:0".to_owned()),
            ("STORE", "embedded".to_owned()),
            ("DATA_DIR", data),
            ("LOG_FORMAT", "json".to_owned()),
            ("DRAIN_DELAY", "0s".to_owned()),
            ("SHUTDOWN_DEADLINE", "5s".to_owned()),
        ];
        let own = self.plan.variables.iter();
        environment.extend(own.map(|(name, value)| (*name, (*value).to_owned())));
        environment
    }

    async fn hear(&self, life: &mut Life, line: &str) {
        // For whoever wonders; nothing depends on it.
        let _ = life.file.write_all(format!("{line}\n").as_bytes()).await;
        let inner = &*self.playground.0;
        match Said::read(line, inner.clock.now()) {
            Said::Started(ops) => self.update(|bot| {
                (bot.ready, bot.ops) = (true, Some(ops));
                bot.trouble = None;
            }),
            Said::Moved(transition) => {
                inner.events.moved(&transition);
                inner.timeline.add(transition);
            }
            Said::Turned(dialogue) => inner.events.turned(&dialogue),
            Said::Problem(problem) => {
                life.problem.get_or_insert(problem);
            }
            Said::Other => {}
        }
    }

    /// What it said before it died may say why.
    async fn hear_out(&self, life: &mut Life) {
        let last_words = async {
            while let Ok(Some(line)) = life.log.next_line().await {
                self.hear(life, &line).await;
            }
        };
        // Nobody else holds the other end.
        let _ = timeout(LAST_WORDS, last_words).await;
    }

    /// Notes its end. Answers whether it was ever ready.
    fn buried(&self, life: Life, ended: ExitStatus) -> bool {
        let was_ready = self.playground.0.status.borrow().ready;
        let trouble = match (&life.killer, life.problem) {
            (Some(_), _) => None,
            (None, Some(problem)) => Some(format!("the bot cannot start: {problem}")),
            (None, None) => Some(format!("the bot ended ({ended}); it is started again")),
        };
        self.update(|bot| {
            (bot.running, bot.ready, bot.pid, bot.ops) = (false, false, None, None);
            bot.introduced = false;
            bot.kills += u64::from(life.killer.is_some());
            bot.ended = Some(ended.to_string());
            bot.trouble = trouble;
        });
        if let Some((killer, _timing)) = life.killer {
            // They may have left.
            let _ = killer.send(());
        }
        was_ready
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        self.playground.0.status.send_modify(change);
    }
}

impl Life {
    /// Waits for it to stop, as long as that may take, and longer for nothing.
    async fn end(mut self) -> io::Result<()> {
        let heard = async { while let Ok(Some(_)) = self.log.next_line().await {} };
        let _ = timeout(STOPS_WITHIN, heard).await;
        match timeout(STOPS_WITHIN, self.child.wait()).await {
            Ok(ended) => ended.map(drop),
            Err(_) => self.child.kill().await,
        }
    }
}

/// An address of this machine where nobody listens.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
