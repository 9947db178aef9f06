//! Lengths of time as people write them: `90s`, `15m`, `24h`, `1d`, `500ms`.

use std::time::Duration;

/// Reads one; nothing if it is none.
pub(super) fn read(text: &str) -> Option<Duration> {
    let text = text.trim();
    let end = text.find(|it: char| !it.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().ok()?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(millis).map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_a_number_and_a_unit() {
        assert_eq!(read("15m"), Some(Duration::from_secs(900)));
        assert_eq!(read("90s"), Some(Duration::from_secs(90)));
        assert_eq!(read("24h"), Some(Duration::from_secs(86_400)));
        assert_eq!(read("15"), None);
        assert_eq!(read("m"), None);
        assert_eq!(read("-1s"), None);
    }
}
