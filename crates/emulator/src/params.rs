//! The parameters of a call: the query, and a body in one of three forms. What came first counts.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use serde::Deserializer as _;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

mod multipart;

/// The most that parameters may have, files apart.
const MOST_BYTES: usize = 1 << 20;
/// How many lists and objects a value of JSON may stand in, one within the other.
const MOST_DEPTH: usize = 100;
/// The most files.
const MOST_FILES: usize = 50;

/// A file that came with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Upload {
    pub(super) name: String,
    pub(super) mime: String,
    pub(super) bytes: Bytes,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Fields,
    Parts,
}

impl Form {
    /// As a content type says it, wherever in it.
    pub(super) fn of(content_type: &str) -> Option<Self> {
        const KNOWN: [(&str, Form); 3] = [
            ("application/json", Form::Json),
            ("application/x-www-form-urlencoded", Form::Fields),
            ("multipart/form-data", Form::Parts),
        ];
        let said = content_type.to_ascii_lowercase();
        let known = KNOWN.into_iter().find(|(name, _)| said.contains(name));
        known.map(|(_, form)| form)
    }
}

/// What a method is called with.
#[derive(Debug, Clone, Default)]
pub(super) struct Params {
    pub(super) values: Map<String, Value>,
    pub(super) files: BTreeMap<String, Upload>,
}

/// It is more than Telegram reads.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Params {
    /// Reads the query and the body.
    pub(super) fn read(query: &str, content_type: &str, body: &Bytes) -> Result<Self, TooLarge> {
        let mut params = Self::default();
        params.take_form(query.as_bytes());
        match Form::of(content_type) {
            Some(Form::Parts) => multipart::read(content_type, body, &mut params),
            Some(Form::Json) => params.take_json(body)?,
            Some(Form::Fields) => params.take_form(body),
            None => {}
        }
        let bytes = params.values.iter().map(|(name, value)| name.len() + text(value).len());
        let is_large = bytes.sum::<usize>() > MOST_BYTES || params.files.len() > MOST_FILES;
        if is_large { Err(TooLarge) } else { Ok(params) }
    }

    /// What is there already stays.
    fn put(&mut self, name: String, value: Value) {
        self.values.entry(name).or_insert(value);
    }

    fn take_form(&mut self, form: &[u8]) {
        for (name, value) in form_urlencoded::parse(form) {
            self.put(name.into_owned(), Value::String(value.into_owned()));
        }
    }

    /// Malformed JSON is not complained about: what stands before the error counts.
    fn take_json(&mut self, body: &[u8]) -> Result<(), TooLarge> {
        if body.len() > MOST_BYTES {
            return Err(TooLarge);
        }
        let mut reader = serde_json::Deserializer::from_slice(body);
        let _ = reader.deserialize_map(Fields(self));
        Ok(())
    }

    /// A parameter as text; a `null` is the word.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.values.get(name).map(text)
    }

    /// A parameter that is there and not empty.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.text(name).filter(|word| !word.is_empty())
    }

    /// A whole number.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.text(name)?.trim().parse().ok()
    }

    /// A fraction.
    pub(super) fn float(&self, name: &str) -> Option<f64> {
        self.text(name)?.trim().parse().ok()
    }

    /// Whether something is wanted.
    pub(super) fn flag(&self, name: &str) -> bool {
        let said = self.text(name).unwrap_or_default().to_lowercase();
        matches!(said.trim(), "true" | "yes" | "1")
    }

    /// An object or a list, also where it came as text; what cannot be read is `null`.
    pub(super) fn json(&self, name: &str) -> Option<Value> {
        match self.values.get(name)? {
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => {
                let value = serde_json::from_str(text).ok();
                Some(value.filter(|it| depth(it) <= MOST_DEPTH).unwrap_or_default())
            }
            other => Some(other.clone()),
        }
    }

    /// Which chat it is for, as far as a number says it.
    pub(super) fn chat(&self) -> i64 {
        self.int("chat_id").unwrap_or_default()
    }
}

/// Puts each field of an object among the parameters as soon as it is read.
struct Fields<'a>(&'a mut Params);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some((name, written)) = map.next_entry::<String, &RawValue>()? {
            let value = as_written(written.get()).map_err(M::Error::custom)?;
            if depth(&value) > MOST_DEPTH {
                return Err(M::Error::custom("it is too deep"));
            }
            self.0.put(name, value);
        }
        Ok(())
    }
}

/// A number that would look different afterwards stays the text that it is.
fn as_written(json: &str) -> serde_json::Result<Value> {
    let value: Value = serde_json::from_str(json)?;
    Ok(match &value {
        Value::Number(number) if number.to_string() != json => Value::String(json.to_owned()),
        _ => value,
    })
}

/// In how many lists and objects the innermost value stands.
fn depth(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(list) => list.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => None,
    };
    deepest.map_or(0, |depth| depth + 1)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_counts_before_the_body() {
        let body = Bytes::from(r#"{"a":"body","b":null,"c":true,"d":5}"#);
        let params = Params::read("a=query", "application/json", &body).expect("it is small");
        assert_eq!(params.text("a").as_deref(), Some("query"));
        assert_eq!(params.text("b").as_deref(), Some("null"));
        assert!(params.flag("c"));
        assert_eq!(params.int("d"), Some(5));
    }

    #[test]
    fn a_number_is_the_text_that_was_written() {
        let body = Bytes::from(r#"{"a": 1.50, "b": 12345678901234567890123, "c": -7}"#);
        let params = Params::read("", "application/json", &body).expect("it is small");
        let written = ["a", "b", "c"].map(|name| params.text(name).unwrap_or_default());
        assert_eq!(written, ["1.50", "12345678901234567890123", "-7"]);
        assert_eq!(params.values["c"], -7);
    }

    #[test]
    fn a_content_type_only_has_to_contain_a_known_one() {
        let json = Bytes::from(r#"{"a":1}"#);
        for kind in ["Application/JSON; charset=utf-8", "text/x, application/json"] {
            let params = Params::read("", kind, &json).expect("it is small");
            assert_eq!(params.int("a"), Some(1), "{kind}");
        }
        let params = Params::read("", "text/plain", &json).expect("it is small");
        assert!(params.values.is_empty());
    }

    #[test]
    fn a_flag_is_true_yes_or_1_however_it_is_written() {
        let params = |value| Params::read(value, "", &Bytes::new()).expect("it is small");
        for wanted in ["it=true", "it=True", "it=yes", "it=YES", "it=1", "it=+1+"] {
            assert!(params(wanted).flag("it"), "{wanted}");
        }
        for unwanted in ["it=false", "it=no", "it=0", "it=on", "it=11", "it=", "other=1"] {
            assert!(!params(unwanted).flag("it"), "{unwanted}");
        }
    }

    #[test]
    fn of_malformed_json_what_stands_before_the_error_counts() {
        let read = |body| Params::read("", "application/json", &Bytes::from(body)).expect("small");
        assert!(read("{oops").values.is_empty());
        assert!(read("[1]").values.is_empty());
        let half = read(r#"{"method":"sendMessage","chat_id":7,"text":"hi","reply_markup":{"#);
        assert_eq!(half.text("method").as_deref(), Some("sendMessage"));
        assert_eq!((half.int("chat_id"), half.values.len()), (Some(7), 3));
    }

    #[test]
    fn what_stands_in_more_than_a_hundred_lists_is_an_error() {
        let deep = |count: usize| format!("{}7{}", "[".repeat(count), "]".repeat(count));
        let read = |count: usize| {
            let body = format!(r#"{{"a":1,"deep":{},"b":2}}"#, deep(count));
            let params = Params::read("", "application/json", &Bytes::from(body));
            params.expect("it is small")
        };
        assert_eq!(read(100).values.len(), 3);
        let broken = read(101);
        assert_eq!((broken.int("a"), broken.values.len()), (Some(1), 1));
        let text = |count| Params::read(&format!("it={}", deep(count)), "", &Bytes::new());
        let is_read = |count| !text(count).expect("small").json("it").expect("it").is_null();
        assert_eq!([is_read(100), is_read(101)], [true, false]);
    }

    #[test]
    fn a_form_has_values_and_files() {
        let body = "--x\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n7\r\n--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a;b.png\"\r\nContent-Type: image/png\r\n\r\n\r\nPNG\r\n--x--\r\n";
        let kind = "multipart/form-data; boundary=\"x\"";
        let params = Params::read("", kind, &Bytes::from(body)).expect("it is small");
        assert_eq!(params.int("chat_id"), Some(7));
        let file = &params.files["photo"];
        assert_eq!((file.name.as_str(), &file.bytes[..]), ("a;b.png", &b"\r\nPNG"[..]));
    }

    #[test]
    fn more_than_a_mebibyte_is_not_read() {
        let body = Bytes::from(format!("text={}", "x".repeat(MOST_BYTES)));
        let read = Params::read("", "application/x-www-form-urlencoded", &body);
        assert_eq!(read.err(), Some(TooLarge));
    }
}
