//! The webhook as it is registered, and what is known of how it fares.

use std::net::IpAddr;

use hyper::Uri;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clock::Millis;
use super::params::Params;

/// How many connections, if nothing is said.
const CONNECTIONS: i64 = 40;
/// The largest certificate.
const MOST_CERTIFICATE: usize = 3 << 20;

/// Where updates are sent to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    /// The address, as the bot said it.
    pub url: String,
    /// What the bot knows Telegram by.
    pub secret: String,
    /// How many requests there may be at once.
    pub max_connections: usize,
    /// The address that was asked for instead of looking the host up.
    #[serde(default)]
    pub ip_address: Option<String>,
    /// A certificate to trust, in PEM.
    #[serde(default)]
    pub certificate: Option<String>,
    /// When it last failed, in unix seconds, and how.
    #[serde(default)]
    pub last_error: Option<(u64, String)>,
    /// Since when it has answered 410 and nothing else.
    #[serde(default)]
    pub gone_since: Option<Millis>,
}

impl Webhook {
    /// A webhook at this address, as most are set.
    pub fn at(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            max_connections: CONNECTIONS as usize,
            ..Self::default()
        }
    }

    /// Reads what `setWebhook` asks for; or says what is wrong with it.
    pub(super) fn read(params: &Params) -> Result<Self, String> {
        let url = params.text("url").unwrap_or_default();
        let connections = params.int("max_connections").filter(|it| *it != 0);
        let webhook = Self {
            url: normal(&url)?,
            secret: secret(params.text("secret_token").unwrap_or_default())?,
            max_connections: connections.unwrap_or(CONNECTIONS).clamp(1, 100) as usize,
            ip_address: address(params.word("ip_address"))?,
            certificate: certificate(params)?,
            ..Self::default()
        };
        Ok(webhook)
    }

    /// Whether it is the same to the bot, however it fared.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let parts = |it: &Self| {
            (
                it.url.clone(),
                it.secret.clone(),
                it.max_connections,
                it.ip_address.clone(),
            )
        };
        parts(self) == parts(other)
    }

    /// Its part of what `getWebhookInfo` answers.
    pub(super) fn info(&self, pending: usize) -> Value {
        let host = self.url.parse::<Uri>().ok();
        let host = host.and_then(|url| url.host()?.parse::<IpAddr>().ok());
        let known = self.ip_address.clone().or(host.map(|ip| ip.to_string()));
        let mut info = json!({
            "url": self.url, "has_custom_certificate": self.certificate.is_some(), "pending_update_count": pending,
            "max_connections": self.max_connections, "ip_address": known.unwrap_or_else(|| "<unknown>".to_owned()),
        });
        if let Some((date, message)) = &self.last_error {
            info["last_error_date"] = json!(date);
            info["last_error_message"] = json!(message);
        }
        info
    }
}

/// Without a scheme it is https. As with a server of one's own, http and every port and address are taken.
fn normal(url: &str) -> Result<String, String> {
    let wrong = || "invalid webhook URL specified".to_owned();
    let whole = match url.split_once("://") {
        Some(_) => url.to_owned(),
        None => format!("https://{url}"),
    };
    let parsed: Uri = whole.parse().map_err(|_| wrong())?;
    let is_web = matches!(parsed.scheme_str(), Some("http" | "https"));
    if !is_web || parsed.host().is_none_or(str::is_empty) {
        return Err(wrong());
    }
    Ok(whole)
}

fn secret(secret: String) -> Result<String, String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if secret.len() > 256 {
        return Err("secret token is too long".to_owned());
    }
    match secret.chars().all(is_plain) {
        true => Ok(secret),
        false => Err("secret token contains unallowed characters".to_owned()),
    }
}

fn address(said: Option<String>) -> Result<Option<String>, String> {
    match said {
        Some(ip) if ip.parse::<IpAddr>().is_err() => {
            Err("bad webhook: Invalid IP address specified".to_owned())
        }
        other => Ok(other),
    }
}

fn certificate(params: &Params) -> Result<Option<String>, String> {
    let Some(file) = params.files.get("certificate") else {
        return Ok(None);
    };
    if file.bytes.len() > MOST_CERTIFICATE {
        return Err(format!(
            "certificate size is too big ({} bytes)",
            file.bytes.len()
        ));
    }
    Ok(Some(String::from_utf8_lossy(&file.bytes).into_owned()))
}
