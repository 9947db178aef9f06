//! A way to the records of a store behind its back, to spoil them where they lie.

use std::path::{Path, PathBuf};
use std::time::Duration;

use steadfast::store::{DialogueKey, partition};

use super::redis_server::RedisServer;

/// Where the records lie.
#[derive(Debug)]
pub(crate) enum BackDoor {
    /// In the file of an embedded store.
    File(PathBuf),
    /// In this Redis, under this prefix.
    Redis(&'static RedisServer, String),
}

impl BackDoor {
    /// A record as it lies there.
    pub(crate) fn record(&self, key: &DialogueKey) -> Vec<u8> {
        match self {
            Self::File(path) => {
                let select = "SELECT value FROM shelf WHERE key = ?1";
                let found = sqlite(path).query_row(select, [shelved(key)], |row| row.get(0));
                found.expect("a record")
            }
            Self::Redis(server, prefix) => {
                let found =
                    redis::cmd("GET").arg(named(prefix, key)).query(&mut server.connection());
                found.expect("a record")
            }
        }
    }

    /// Puts these bytes in the place of a record.
    pub(crate) fn spoil(&self, key: &DialogueKey, bytes: &[u8]) {
        match self {
            Self::File(path) => {
                let update = "UPDATE shelf SET value = ?1 WHERE key = ?2";
                let changed = sqlite(path).execute(update, (bytes, shelved(key)));
                assert_eq!(changed, Ok(1));
            }
            Self::Redis(server, prefix) => {
                let mut set = redis::cmd("SET");
                set.arg(named(prefix, key)).arg(bytes).arg("XX");
                let answer: Option<String> =
                    set.query(&mut server.connection()).expect("an answer");
                assert!(answer.is_some(), "there was a record");
            }
        }
    }
}

/// The name of a record in Redis.
pub(crate) fn named(prefix: &str, key: &DialogueKey) -> String {
    let name = match key {
        DialogueKey { chat, user, topic: None } if chat == user => chat.to_string(),
        key => key.to_string(),
    };
    format!("{prefix}:{{{:02}}}:d:{name}", partition(key.chat))
}

/// The name of a record in a file.
fn shelved(key: &DialogueKey) -> Vec<u8> {
    [&[b'd', partition(key.chat)], key.to_string().as_bytes()].concat()
}

fn sqlite(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).expect("the file");
    let patience = connection.busy_timeout(Duration::from_secs(30));
    patience.expect("patience");
    connection
}
