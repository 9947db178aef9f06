//! What systemd is told by a server of `Type=notify`.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use crate::support::bot_api::BotApi;
use crate::support::patience::until;
use crate::support::server::Setup;

/// What has been said since, one word a line.
fn heard(socket: &UnixDatagram) -> Vec<String> {
    let mut buffer = [0; 256];
    let mut all = Vec::new();
    while let Ok(length) = socket.recv(&mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        all.extend(text.lines().map(str::to_owned));
    }
    all
}

async fn until_heard(socket: &UnixDatagram, word: &str) {
    until(format!("`{word}` is said"), async || {
        heard(socket).iter().any(|it| it == word).then_some(())
    })
    .await;
}

#[tokio::test]
async fn systemd_hears_of_the_start_of_life_and_of_the_stop() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_nonblocking(true).expect("a socket");
    let api = BotApi::start();
    let server = Setup::memory(&api)
        .with("NOTIFY_SOCKET", &path.display().to_string())
        .with("WATCHDOG_USEC", &Duration::from_secs(1).as_micros().to_string())
        .start()
        .await;
    until_heard(&socket, "READY=1").await;
    for _ in 0..3 {
        until_heard(&socket, "WATCHDOG=1").await;
    }
    server.terminate();
    until_heard(&socket, "STOPPING=1").await;
    assert_eq!(server.ended().await.0, 0);
}
