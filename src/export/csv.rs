//! Lines of comma-separated values, as RFC 4180 has them and spreadsheets cannot be harmed by.

use serde_json::Value;

/// One line, with its end.
pub(super) fn line(values: &[Value]) -> String {
    let cells: Vec<String> = values.iter().map(cell).collect();
    cells.join(",") + "\r\n"
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        other => other.to_string(),
    };
    match text.contains([',', '"', '\r', '\n']) || text != text.trim() {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// A text that a spreadsheet would take for a formula gets an apostrophe; a number is one.
fn harmless(text: &str) -> String {
    let is_formula =
        text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    match is_formula && !is_number(text) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    is_plain(whole) && is_plain(part)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_would_break_a_line_is_quoted() {
        let values = [
            json!(12),
            json!("Depot, \"North\""),
            json!("two\nlines"),
            json!(null),
            json!("-33.00"),
        ];
        assert_eq!(line(&values), "12,\"Depot, \"\"North\"\"\",\"two\nlines\",,-33.00\r\n");
    }

    #[test]
    fn nothing_is_a_formula() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+7 900", "'+7 900"),
            ("-1+1", "'-1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("-", "'-"),
            ("-33.00", "-33.00"),
            ("2026-11-16T09:00:00+03:00", "2026-11-16T09:00:00+03:00"),
        ] {
            assert_eq!(cell(&json!(text)), written, "{text}");
        }
    }
}
