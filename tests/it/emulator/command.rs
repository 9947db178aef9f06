//! `steadfast emulator`, as people start it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::support::http;

fn emulator(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.arg("emulator").args(arguments).env_clear();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn it_needs_no_configuration_and_keeps_its_chats() {
    let directory = tempfile::TempDir::new().expect("a directory");
    let data = directory.path().to_str().expect("a path").to_owned();
    for (name, people) in [("Anna", 1), ("Boris", 2)] {
        let options = ["--listen", "127.0.0.1:0", "--data", &data, "--name", "Shop"];
        let started = emulator(&options).spawn();
        let mut running = Running(started.expect("it starts"));
        let mut line = String::new();
        let stdout = running.0.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.split("http://").nth(1).and_then(|it| it.split(' ').next());
        let address = address.expect("an address").parse().expect("an address");
        let second = refused(emulator(&["--listen", "127.0.0.1:0", "--data", &data]).output());
        assert!(second.contains("another process uses it"), "{second}");
        for (header, value) in [("host", "evil.example"), ("sec-fetch-site", "cross-site")] {
            let path = "/bot1:x/getMe";
            let asked = http::foreign(address, path, header, value).await;
            assert_eq!(asked.expect("an answer").status, 403, "{header}");
        }
        let person = json!({ "name": name }).to_string();
        http::post(address, "/emulator/people", &[], person).await.expect("an answer");
        let state = http::get(address, "/emulator/state").await.expect("an answer");
        let bot = &state.json()["bot"];
        assert_eq!(bot["first_name"], "Shop");
        assert_eq!(bot["username"], "emulated_bot");
        assert_eq!(state.json()["people"].as_array().map(Vec::len), Some(people));
        kill(Pid::from_raw(running.0.id() as i32), Signal::SIGTERM).expect("a signal");
        assert!(running.0.wait().expect("an end").success());
    }
}

fn refused(output: std::io::Result<Output>) -> String {
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_port_that_is_taken_and_a_directory_that_cannot_be_used_are_said_in_a_line() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let said = refused(emulator(&["--listen", &address]).output());
    assert!(said.starts_with(&format!("error: cannot listen on {address}")), "{said}");
    let file = tempfile::NamedTempFile::new().expect("a file");
    let place = file.path().to_str().expect("a path");
    let said = refused(emulator(&["--listen", "127.0.0.1:0", "--data", place]).output());
    assert!(said.starts_with(&format!("error: cannot use {place}: it is a file")), "{said}");
}
