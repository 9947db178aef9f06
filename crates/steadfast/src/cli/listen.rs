//! Where to listen, as people write it, and what to open then.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Reads an address: a port alone, or one of `localhost`, is one of this machine.
pub(super) fn read(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    if let Ok(port) = port.parse() {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    let wrong = |_| "not an address such as 127.0.0.1:8765, localhost:8765 or 8765".to_owned();
    text.parse().map_err(wrong)
}

/// What can be opened here to reach one who listens there.
pub(super) fn reached(mut listens: SocketAddr) -> SocketAddr {
    if listens.ip().is_unspecified() {
        listens.set_ip(match listens.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    listens
}

/// Where else it can be reached, if anywhere.
pub(super) fn elsewhere(listens: SocketAddr) -> String {
    match listens.ip().is_unspecified() {
        true => format!(" here, or port {} of this machine from elsewhere", listens.port()),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_people_write_it() {
        for (text, expected) in [
            ("127.0.0.1:8765", "127.0.0.1:8765"),
            ("localhost:8765", "127.0.0.1:8765"),
            ("8765", "127.0.0.1:8765"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(read(text).map(|it| it.to_string()), Ok(expected.into()));
        }
        for text in ["", "localhost", "example.org:80", "127.0.0.1", "99999"] {
            let said = read(text).expect_err("no address");
            assert!(said.contains("127.0.0.1:8765"), "{text}: {said}");
        }
    }

    #[test]
    fn what_is_said_to_be_opened_can_be_opened() {
        for (listens, opened) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.5:80", "10.0.0.5:80"),
        ] {
            let listens: SocketAddr = listens.parse().expect("an address");
            assert_eq!(reached(listens).to_string(), opened);
            let is_elsewhere = elsewhere(listens).contains("port 80 of this machine");
            assert_eq!(is_elsewhere, listens.ip().is_unspecified());
        }
    }
}
