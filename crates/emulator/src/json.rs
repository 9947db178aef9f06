//! JSON as Telegram writes it: compact, in ASCII.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

/// Writes a value with everything beyond ASCII as `\uXXXX`.
pub(super) fn ascii(value: &impl Serialize) -> String {
    let mut written = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut written, Ascii);
    let done = value.serialize(&mut serializer);
    debug_assert!(done.is_ok(), "what is written is plain data");
    String::from_utf8(written).unwrap_or_default()
}

struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut units = [0; 2];
        for part in fragment.split_inclusive(|char: char| !char.is_ascii()) {
            let plain = part.trim_end_matches(|char: char| !char.is_ascii());
            writer.write_all(plain.as_bytes())?;
            for char in part[plain.len()..].chars() {
                for unit in char.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_beyond_ascii_is_escaped() {
        assert_eq!(ascii(&"a/\"\n\u{41f}\u{1f600}"), r#""a/\"\n\u041f\ud83d\ude00""#);
    }
}
