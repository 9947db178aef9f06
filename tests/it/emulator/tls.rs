//! Webhooks over TLS, with certificates of their own making.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use steadfast::emulator::{Sending, State, Webhook};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::stage::{Stage, TOKEN};
use crate::support::http::{self, Answer};
use crate::support::patience::{LONG, until};

/// As the guide of Telegram tells everybody to make one: it calls itself an authority.
const MAKE: &str = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                    -subj /CN=127.0.0.1 -keyout key.pem -out own.pem";

/// A certificate of one's own making, and its key.
fn certificate() -> (String, String) {
    let place = TempDir::new().expect("a directory");
    let made =
        Command::new("sh").args(["-c", MAKE]).current_dir(place.path()).output().expect("a shell");
    let why = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "this test needs openssl: {why}");
    let read = |name| std::fs::read_to_string(place.path().join(name)).expect("a file");
    (read("own.pem"), read("key.pem"))
}

/// A webhook that takes everything, and tells what came.
fn serve(certificate: &str, key: &str) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("PEM");
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    let config = Arc::new(config.expect("a certificate"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let (sender, came) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let server = ServerConnection::new(Arc::clone(&config)).expect("a server");
            let said = take(StreamOwned::new(server, stream));
            if sender.send(said).is_err() {
                return;
            }
        }
    });
    (address, came)
}

/// Reads a request, or as much as there is of it, and says that it was taken.
fn take(mut stream: StreamOwned<ServerConnection, std::net::TcpStream>) -> String {
    let (mut read, mut part) = (String::new(), [0; 4096]);
    while !read.ends_with("}}") {
        match stream.read(&mut part) {
            Ok(count) if count > 0 => read.push_str(&String::from_utf8_lossy(&part[..count])),
            _ => return read,
        }
    }
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let _ = stream.write_all(answer);
    stream.conn.send_close_notify();
    let _ = stream.flush();
    read
}

/// Registers the webhook, with a certificate.
async fn hook(stage: &Stage, address: SocketAddr, certificate: &str) -> Answer {
    stage.advance(1);
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"url\"\r\n\r\nhttps://{address}/hook\r\n--b\r\n\
         Content-Disposition: form-data; name=\"certificate\"; filename=\"own.pem\"\r\n\r\n{certificate}\r\n--b--\r\n"
    );
    let kind = [("content-type", "multipart/form-data; boundary=b")];
    let path = format!("/bot{TOKEN}/setWebhook");
    let answer = http::post_as(stage.address, &path, &kind, body).await;
    answer.expect("an answer")
}

async fn complaint(stage: &Stage, update: i64, tried: usize) -> String {
    stage.tried(update, tried).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    info["last_error_message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_webhook_with_a_certificate_of_its_own_making_is_delivered_to_and_another_is_not() {
    let (stage, (own, key), (other, _)) = (Stage::new().await, certificate(), certificate());
    let (address, mut came) = serve(&own, &key);
    let anna = stage.anna();
    assert_eq!(hook(&stage, address, &own).await.status, 200);
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["has_custom_certificate"], true);
    let update = stage.say(anna, "hello");
    stage.became(update, State::Acknowledged).await;
    let said = timeout(LONG, came.recv()).await.expect("a request");
    assert!(said.is_some_and(|it| it.starts_with("POST /hook HTTP/1.1\r\nHost: ")));

    assert_eq!(hook(&stage, address, &other).await.status, 200);
    let update = stage.say(anna, "hello?");
    let words = complaint(&stage, update, 1).await;
    assert!(
        words.starts_with("SSL error {") && words.contains("certificate verify failed"),
        "{words}"
    );

    stage.advance(1);
    let plain = json!({ "url": format!("https://{address}/hook") });
    stage.done("setWebhook", plain).await;
    let words = complaint(&stage, update, 2).await;
    assert!(words.starts_with("SSL error {"), "nobody vouches for it: {words}");
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["has_custom_certificate"], false);

    let refused = hook(&stage, address, "no certificate").await.json();
    let words = refused["description"].as_str().unwrap_or_default();
    let beginning = "Bad Request: bad webhook: Can't create an SSL connection: ";
    assert!(words.starts_with(beginning), "{refused}");
    assert_eq!(stage.emulator.webhook(), None);
    let unchecked = Webhook {
        certificate: Some("no certificate".to_owned()),
        ..Webhook::at(&format!("https://{address}/hook"))
    };
    stage.emulator.set_webhook(Some(unchecked), &[]);
    let words = complaint(&stage, update, 3).await;
    assert!(words.starts_with("Can't create an SSL connection: "), "{words}");

    let large = "x".repeat((3 << 20) + 1);
    let refused = hook(&stage, address, &large).await;
    let words = "Bad Request: certificate size is too big (3145729 bytes)";
    assert_eq!((refused.status, &refused.json()["description"]), (400, &json!(words)));
}

#[tokio::test]
async fn what_breaks_off_breaks_off_within_tls() {
    let (stage, (own, key)) = (Stage::new().await, certificate());
    let (address, mut came) = serve(&own, &key);
    let anna = stage.anna();
    assert_eq!(hook(&stage, address, &own).await.status, 200);
    let sending = Sending { fault: Some(json!("close_before")), ..Sending::text(anna, "hello") };
    let update = stage.emulator.send(&sending).expect("a message").updates[0];
    let update = stage.tried(update.expect("an update"), 1).await;
    let half = &update.body[..update.body.len() / 2];
    let said = timeout(LONG, came.recv()).await.expect("a request");
    assert!(said.is_some_and(|it| it.ends_with(half)));
}

/// Whoever takes a connection and says nothing has not been sent anything either.
#[tokio::test]
async fn a_request_that_could_not_be_written_within_a_minute_is_told_from_one_without_an_answer() {
    let stage = Stage::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let url = json!({ "url": format!("https://{address}/") });
    stage.done("setWebhook", url).await;
    let update = stage.say(stage.anna(), "hello");
    let silent = timeout(LONG, listener.accept()).await.expect("a connection");
    stage.advance(60);
    let words =
        until("there was no time", async || stage.emulator.update(update)?.attempts.pop()?.error);
    assert_eq!(words.await, "Write timeout expired");
    drop(silent);
}
