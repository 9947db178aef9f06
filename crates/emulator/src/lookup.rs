//! Looks up the host of a webhook before it is set, and again every half an hour, as Telegram does. What that came to stands in
//! the world.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::time::timeout;

use super::clock::Millis;
use super::desk::Desk;
use super::params::Params;
use super::webhook::Webhook;

/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it is not looked up again. Telegram takes up to three minutes more.
const KNOWN_FOR: Millis = 30 * 60_000;

/// What looking a host up came to, and when.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) address: Result<IpAddr, String>,
    at: Millis,
}

/// Looks up the host that a webhook would be at, where something is to be sent there.
pub(super) async fn look_up(desk: &Desk, params: &Params) {
    let asked = Webhook::read(params).ok().filter(|_| desk.delivers);
    let host = asked.and_then(|webhook| webhook.unknown_host());
    if let Some(host) = host {
        let found = address(desk, &host).await;
        note(desk, &host, found);
    }
}

/// The address of a host as it was found within the last half an hour, or is now. One that is not found any more is where it was.
pub(super) async fn known(desk: &Desk, host: &str) -> Result<IpAddr, String> {
    let known = desk.world().hosts.get(host).cloned();
    let known = known.and_then(|found| Some((found.address.ok()?, found.at)));
    if let Some((ip, at)) = known
        && desk.clock.now() < at + KNOWN_FOR
    {
        return Ok(ip);
    }
    let found = match (address(desk, host).await, known) {
        (Err(_), Some((ip, _))) => ip,
        (found, _) => found?,
    };
    note(desk, host, Ok(found));
    Ok(found)
}

fn note(desk: &Desk, host: &str, address: Result<IpAddr, String>) {
    let at = desk.clock.now();
    let found = Found { address, at };
    desk.world().hosts.insert(host.to_owned(), found);
}

/// The address of a host, as it was said to be here or as the machine finds it; or why there is none.
async fn address(desk: &Desk, host: &str) -> Result<IpAddr, String> {
    let said = desk.world().moved.get(host).copied();
    match said {
        Some(ip) => Ok(ip),
        None => resolved(host).await,
    }
}

/// The first address of a host, of the old kind if there is one; or why there is none.
async fn resolved(host: &str) -> Result<IpAddr, String> {
    let failed = |words: &str| format!("Failed to resolve host: {words}");
    let looked = timeout(PATIENCE, lookup_host((host, 0))).await;
    let found = match looked {
        Ok(Ok(found)) => found.map(|it| it.ip()).collect::<Vec<_>>(),
        Ok(Err(error)) => {
            let words = error.to_string();
            let (_, words) = words.rsplit_once(": ").unwrap_or(("", &words));
            return Err(failed(words));
        }
        Err(_) => return Err(failed("Temporary failure in name resolution")),
    };
    let old = found.iter().find(|ip| ip.is_ipv4());
    let first = old.or(found.first()).copied();
    first.ok_or_else(|| failed("No address associated with hostname"))
}

/// Whether Telegram sends nothing there, because it is no address of the public network.
pub(super) fn is_reserved(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    )
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::super::world::World;
    use super::*;

    #[tokio::test]
    async fn a_host_that_is_not_found_any_more_is_where_it_was() {
        let desk = Desk::new(World::default(), Clock::still(0), 0, true);
        let host = "no-such-host.invalid";
        assert!(known(&desk, host).await.is_err());
        let ip = IpAddr::from([10, 0, 0, 1]);
        note(&desk, host, Ok(ip));
        desk.clock.advance(Duration::from_secs(3_600));
        assert_eq!(known(&desk, host).await, Ok(ip));
    }

    #[test]
    fn only_addresses_of_the_public_network_are_sent_to() {
        for ip in ["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.7.7", "224.0.0.1"] {
            assert!(is_reserved(ip.parse().expect("an address")), "{ip}");
        }
        for ip in ["1.1.1.1", "149.154.167.220", "172.32.0.1", "100.128.0.1"] {
            assert!(!is_reserved(ip.parse().expect("an address")), "{ip}");
        }
    }
}
