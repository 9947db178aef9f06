//! The webhook as it is registered, and what is known of how it fares.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU16;

use hyper::Uri;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clock::Millis;
use super::delivery::trust;
use super::lookup::{Found, is_reserved};
use super::params::Params;

/// What looking hosts up came to.
type Hosts = BTreeMap<String, Found>;

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
        Self { url: url.to_owned(), max_connections: CONNECTIONS as usize, ..Self::default() }
    }

    /// Reads what `setWebhook` asks for; or says what is wrong with it.
    pub(super) fn read(params: &Params) -> Result<Self, String> {
        let url = params.text("url").unwrap_or_default();
        let connections = params.int("max_connections");
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

    /// The host that is to be looked up, where that was not spared by an address.
    pub(super) fn unknown_host(&self) -> Option<String> {
        let host = self.host()?;
        let is_known = self.ip_address.is_some() || host.parse::<IpAddr>().is_ok();
        (!is_known).then_some(host)
    }

    fn host(&self) -> Option<String> {
        let url: Uri = self.url.parse().ok()?;
        Some(url.host()?.trim_matches(['[', ']']).to_owned())
    }

    /// The address that it is at, as far as that is known.
    fn address(&self, hosts: &Hosts) -> Result<Option<IpAddr>, String> {
        let known = self.ip_address.clone().or_else(|| self.host());
        if let Some(ip) = known.and_then(|it| it.parse().ok()) {
            return Ok(Some(ip));
        }
        let found = self.host().and_then(|host| hosts.get(&host).cloned());
        found.map(|found| found.address).transpose()
    }

    /// Whether updates can be sent there: its host was found, in public it is where Telegram goes to, TLS can be had by its
    /// certificate, and a socket opened to its address. Whether anybody is there is not asked.
    pub(super) fn admitted(self, hosts: &Hosts, is_public: bool) -> Result<Self, String> {
        let bad = |words: String| format!("bad webhook: {words}");
        if is_public {
            usual(&self.url).map_err(bad)?;
        }
        let address = self.address(hosts).map_err(bad)?;
        match address.filter(|_| is_public) {
            Some(IpAddr::V6(_)) => {
                return Err(bad("IPv6-only addresses are not allowed".to_owned()));
            }
            Some(IpAddr::V4(ip)) if is_reserved(ip) => {
                return Err(bad(format!("IP address {ip} is reserved")));
            }
            _ => {}
        }
        if let Some(pem) = self.certificate.as_ref().filter(|_| self.is_secured()) {
            let secured = trust::check(pem);
            secured.map_err(|why| bad(format!("Can't create an SSL connection: {why}")))?;
        }
        match address.is_some_and(is_for_many) {
            true => Err(bad("Can't connect to the webhook".to_owned())),
            false => Ok(self),
        }
    }

    fn is_secured(&self) -> bool {
        let url: Uri = self.url.parse().unwrap_or_default();
        url.scheme_str() == Some("https")
    }

    /// Whether it is the same to the bot, however it fared.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let parts = |it: &Self| {
            (it.url.clone(), it.secret.clone(), it.max_connections, it.ip_address.clone())
        };
        parts(self) == parts(other)
    }

    /// Its part of what `getWebhookInfo` answers.
    pub(super) fn info(&self, pending: usize, hosts: &Hosts) -> Value {
        let known = self.address(hosts).ok().flatten();
        let known = known.map(|ip| ip.to_string());
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

/// Whether no connection can be made there on any machine: what else cannot be reached depends on the network.
fn is_for_many(ip: IpAddr) -> bool {
    ip.is_multicast() || ip == IpAddr::V4(Ipv4Addr::BROADCAST)
}

/// In public it is https, on one of four ports.
fn usual(url: &str) -> Result<(), String> {
    let url: Uri = url.parse().unwrap_or_default();
    if url.scheme_str() != Some("https") {
        return Err("An HTTPS URL must be provided for webhook".to_owned());
    }
    match url.port_u16() {
        None | Some(80 | 88 | 443 | 8443) => Ok(()),
        Some(_) => Err("Webhook can be set up only on ports 80, 88, 443 or 8443".to_owned()),
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
    let port = parsed.authority().and_then(|it| port(it.as_str()));
    let is_number = |port: &str| !port.starts_with('+') && port.parse::<NonZeroU16>().is_ok();
    let is_port = port.is_none_or(is_number);
    if !is_web || !is_port || parsed.host().is_none_or(str::is_empty) {
        return Err(wrong());
    }
    Ok(whole)
}

/// What stands behind the colon, be it a port or not; an address in brackets has colons of its own.
fn port(authority: &str) -> Option<&str> {
    let host = authority.rsplit('@').next()?;
    let behind = host.rsplit(']').next()?;
    Some(behind.split_once(':')?.1)
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
        return Err(format!("certificate size is too big ({} bytes)", file.bytes.len()));
    }
    Ok(Some(String::from_utf8_lossy(&file.bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_was_looked_up_the_address_is_unknown() {
        let info = Webhook::at("https://bot.example/").info(0, &Hosts::default());
        assert_eq!(info["ip_address"], "<unknown>");
    }

    #[test]
    fn without_a_scheme_it_is_https() {
        for (said, url) in [
            ("bot.example/hook", "https://bot.example/hook"),
            ("bot.example:8443", "https://bot.example:8443"),
            ("http://bot.example", "http://bot.example"),
            ("HTTPS://bot.example", "HTTPS://bot.example"),
        ] {
            assert_eq!(normal(said).as_deref(), Ok(url));
        }
        for ported in ["http://[::1]:80/", "http://a:b@bot.example:88", "http://[::1]/"] {
            assert!(normal(ported).is_ok(), "{ported}");
        }
        let ports = ["0", "", "65536", "99999", "+80"];
        let ports = ports.map(|port| format!("https://bot.example:{port}/"));
        let others = ["ftp://bot.example", "https://", "://bot.example", "a b"];
        for wrong in ports.iter().map(String::as_str).chain(others) {
            assert!(normal(wrong).is_err(), "{wrong}");
        }
    }
}
