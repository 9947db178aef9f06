//! When a request reached the first proxy.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Reads `X-Request-Start`: `t=<seconds.millis>` as nginx writes it, or whole seconds, milli-, micro- or nanoseconds
/// as other proxies do. What cannot be read counts as not there.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let number: f64 = text.strip_prefix("t=").unwrap_or(text).parse().ok()?;
    let seconds = match number {
        n if !(1e9..1e20).contains(&n) => return None,
        n if n < 1e11 => n,
        n if n < 1e14 => n / 1e3,
        n if n < 1e17 => n / 1e6,
        n => n / 1e9,
    };
    Some(UNIX_EPOCH + Duration::try_from_secs_f64(seconds).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<u128> {
        let since = parse(text)?.duration_since(UNIX_EPOCH).unwrap();
        Some((since.as_micros() + 500) / 1000)
    }

    #[test]
    fn every_proxys_way_of_writing_the_time_is_read() {
        for text in [
            "t=1700000000.123",
            "1700000000.123",
            "1700000000123",
            "t=1700000000123",
            "1700000000123000",
            "t=1700000000123000",
            " 1700000000123000000 ",
        ] {
            assert_eq!(millis(text), Some(1_700_000_000_123), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_counts_as_absent() {
        for text in ["", "t=", "now", "-1", "12", "NaN", "inf", "1e300", "t=t=1700000000"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
