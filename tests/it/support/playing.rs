//! A playground as a process of its own, on a free port, in a directory of its own.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::http::{self, Answer};
use super::patience::{LONG, until};
use super::server::{leash, program};
use super::whispers;

/// Somebody of the first cast who speaks English, and their dialogue.
pub(crate) const ANN: i64 = 5001;
pub(crate) const ANNS: &str = "5001:5001";

/// A playground that ends with this value.
#[derive(Debug)]
pub(crate) struct Playing {
    pid: Pid,
    shell: Child,
    stdout: BufReader<ChildStdout>,
    /// Dropping it ends the playground.
    leash: Option<ChildStdin>,
    /// The line that it said.
    pub(crate) line: String,
    pub(crate) address: SocketAddr,
}

impl Playing {
    /// On a free port, in this directory.
    pub(crate) fn start(data: &Path) -> Self {
        let data = data.display().to_string();
        let arguments = ["playground", "--listen", "127.0.0.1:0", "--data", &data];
        Self::start_as(&arguments, Path::new("/"), &BTreeMap::new())
    }

    /// With these arguments, there, among these variables. Waits for its line.
    pub(crate) fn start_as(
        arguments: &[&str],
        place: &Path,
        variables: &BTreeMap<&str, &str>,
    ) -> Self {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh")
            .args(["-c", &leash(""), "leash", program()])
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .envs(variables)
            .current_dir(place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut stdout = BufReader::new(shell.stdout.take().expect("its output"));
        // The shell says the number, the program its line, and either may be first.
        let said = [(); 2].map(|()| read_line(&mut stdout));
        let pid = said.iter().find_map(|it| it.parse().ok());
        let pid = pid.unwrap_or_else(|| panic!("a process id: {said:?}"));
        let line = said.into_iter().find(|it| it.contains("http://"));
        let line = line.expect("an address");
        let address = line.split_once("http://").expect("an address").1;
        let address = address.split(['/', ' ']).next().unwrap_or_default();
        Self {
            pid: Pid::from_raw(pid),
            leash: shell.stdin.take(),
            address: address.parse().unwrap_or_else(|_| panic!("{line}")),
            shell,
            stdout,
            line,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = http::get(self.address, path).await.expect("an answer");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.try_post(path, body).await;
        assert!(answer.is_success(), "{path}: {answer:?}");
        answer.json()
    }

    pub(crate) async fn try_post(&self, path: &str, body: &Value) -> Answer {
        let answer = http::post(self.address, path, &[], body.to_string()).await;
        answer.expect("an answer")
    }

    /// Ann writes.
    pub(crate) async fn say(&self, text: &str) {
        whispers::say(text);
        let message = json!({ "from": ANN, "text": text });
        self.post("/emulator/messages", &message).await;
    }

    /// What the bot has said to Ann so far.
    pub(crate) async fn told(&self) -> Vec<String> {
        let chat = self.get(&format!("/emulator/chats/{ANN}")).await;
        let messages = chat["messages"].as_array().expect("messages").iter();
        let of_bot = messages.filter(|message| message["by"] == "bot");
        let text = |message: &Value| message["text"].as_str().unwrap_or_default().to_owned();
        of_bot.map(text).collect()
    }

    /// Waits until the last that the bot said to Ann has these words.
    pub(crate) async fn hears(&self, words: &str) {
        until(format!("Ann hears `{words}`"), async || {
            self.told().await.last()?.contains(words).then_some(())
        })
        .await;
    }

    /// Ann's dialogue, once it is so.
    pub(crate) async fn dialogue(&self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        until(what, async || {
            let path = format!("/playground/dialogues/{ANNS}");
            Some(self.get(&path).await).filter(&is)
        })
        .await
    }

    /// How the bot is, once it is ready after so many starts.
    pub(crate) async fn bot(&self, starts: u64) -> Value {
        until("the bot is ready", async || {
            let bot = self.get("/playground/bot").await;
            let is_ready = bot["ready"] == true && bot["starts"].as_u64() >= Some(starts);
            is_ready.then_some(bot)
        })
        .await
    }

    /// Ends it at once.
    pub(crate) fn kill(mut self) {
        self.signal(Signal::SIGKILL);
        self.join();
    }

    /// As Ctrl-C does; answers the exit code.
    pub(crate) async fn interrupt(mut self) -> i32 {
        self.signal(Signal::SIGINT);
        let started = Instant::now();
        while self.shell.try_wait().expect("the shell").is_none() {
            assert!(started.elapsed() < LONG, "it does not end");
            sleep(Duration::from_millis(20)).await;
        }
        read_line(&mut self.stdout).parse().expect("an exit code")
    }

    fn signal(&self, signal: Signal) {
        kill(self.pid, signal).expect("it can be signalled");
    }

    fn join(&mut self) {
        drop(self.leash.take());
        let _ = self.shell.wait();
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.join();
    }
}

/// Runs the program there to its end, which is to be soon.
pub(crate) fn run(arguments: &[&str], place: &Path) -> Output {
    let mut command = Command::new(program());
    command.args(arguments).env_clear().current_dir(place);
    command.stdin(Stdio::null()).output().expect("the program")
}

/// Waits until there is no such process; one that nobody has asked after does not count.
pub(crate) async fn gone(pid: u64) {
    until(format!("process {pid} is gone"), async || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.map_or(Some(()), |stat| stat.contains(") Z ").then_some(()))
    })
    .await;
}

fn read_line(from: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    from.read_line(&mut line).expect("a line");
    line.trim().to_owned()
}
