//! What is allowed, and unwise: said at the start and by `check`.

use std::collections::BTreeSet;

use secrecy::ExposeSecret;

use super::ServerConfig;
use crate::store::Finding;

/// A secret with fewer characters can be guessed.
const SECRET_LEAST: usize = 16;
/// One of fewer different characters was not drawn by lot.
const SECRET_VARIETY: usize = 8;
/// Words of secrets that were copied from a document, and are therefore none.
const EXAMPLES: [&str; 6] =
    ["change-me", "change_me", "changeme", "example", "placeholder", "your"];

impl ServerConfig {
    /// What should be changed although it works.
    pub fn advice(&self) -> Vec<Finding> {
        [self.on_secrets(), self.on_path(), self.on_operations(), self.on_ignored()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn on_secrets(&self) -> Option<Finding> {
        let mut secrets = self.webhook.secrets.iter();
        let found = secrets.any(|secret| is_weak(secret.expose_secret()));
        found.then(|| unwise(
            "secret",
            format!(
                "WEBHOOK_SECRET holds one that can be guessed, and whoever knows it can speak for everyone: take at least \
                 {SECRET_LEAST} random characters, for example from `openssl rand -hex 32`"
            ),
        ))
    }

    fn on_path(&self) -> Option<Finding> {
        let (public, path) = (path_of(self.webhook.url.as_deref()?), &self.webhook.path);
        let is_polled = self.webhook.secrets.is_empty();
        (!is_polled && public != path).then(|| unwise(
            "path",
            format!(
                "WEBHOOK_URL leads to {public}, and updates are taken at {path}: set WEBHOOK_PATH to the same path, unless the proxy \
                 between the two rewrites it"
            ),
        ))
    }

    fn on_operations(&self) -> Option<Finding> {
        let open = !self.ops.listen.ip().is_loopback() && self.ops.token.is_none();
        open.then(|| unwise(
            "operations",
            "OPS_ADDR is not loopback: keep it off the internet, and set OPS_TOKEN to see metrics and dialogues there".to_owned(),
        ))
    }

    fn on_ignored(&self) -> Option<Finding> {
        let name = self.ignored.first()?;
        let kind = self.store.kind();
        Some(unwise(
            "ignored",
            format!(
                "{name} is set and not used, since STORE={kind}: remove {name}, or set STORE=redis; replicas would not share \
                 their dialogues"
            ),
        ))
    }
}

/// The path in an address.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    rest.find('/').map_or("/", |start| &rest[start..])
}

fn is_weak(secret: &str) -> bool {
    let plain = secret.to_ascii_lowercase();
    let variety = plain.bytes().collect::<BTreeSet<_>>().len();
    secret.len() < SECRET_LEAST
        || variety < SECRET_VARIETY
        || EXAMPLES.iter().any(|example| plain.contains(example))
}

fn unwise(check: &'static str, advice: String) -> Finding {
    Finding { check, ok: false, advice }
}
