//! A certificate authority for a day, and a certificate for `localhost` by it.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::port::Port;

/// Makes the two, with openssl.
const MAKE: &str = r"
set -e
key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
openssl req -x509 $key -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
openssl req $key -subj /CN=localhost -keyout server.key -out server.csr
echo subjectAltName=DNS:localhost >names
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem
";

/// An authority with a server's certificate, in a directory of its own.
#[derive(Debug)]
pub(crate) struct Authority {
    dir: TempDir,
    port: Port,
}

impl Authority {
    /// A new one.
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        let made = Command::new("sh")
            .args(["-c", MAKE])
            .current_dir(dir.path())
            .output()
            .expect("a shell");
        let why = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "this test needs openssl: {why}");
        let port = Port::hold();
        Self { dir, port }
    }

    /// The authority's own certificate, as PEM.
    pub(crate) fn certificate(&self) -> Vec<u8> {
        std::fs::read(self.path("ca.pem")).expect("a certificate")
    }

    /// Where a server with these [`settings`](Self::settings) speaks TLS.
    pub(crate) fn url(&self) -> String {
        format!("rediss://localhost:{}", self.port.number())
    }

    /// What makes a redis-server speak TLS on a port of its own.
    pub(crate) fn settings(&self) -> Vec<String> {
        let path = |name| self.path(name).display().to_string();
        [
            ("--tls-port", self.port.number().to_string()),
            ("--tls-cert-file", path("server.pem")),
            ("--tls-key-file", path("server.key")),
            ("--tls-auth-clients", "no".into()),
        ]
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}
