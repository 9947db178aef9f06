//! A line of JSON for each event, written by hand: the everyday lines are the larger part of what logging costs.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::Context;

use super::redact::Redact;
use super::sink::Sink;

thread_local! {
    /// Each thread writes its lines into the same room, again and again.
    static ROOM: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Writes each event as a line of JSON, with secrets struck out.
#[derive(Debug)]
pub(super) struct JsonLines {
    redact: Arc<Redact>,
    sink: Sink,
}

impl JsonLines {
    pub(super) fn new(redact: Arc<Redact>, sink: Sink) -> Self {
        Self { redact, sink }
    }

    fn write(&self, room: &mut String, event: &Event<'_>) {
        room.clear();
        // Writing into a string does not fail.
        let _ = write_line(room, event);
        let line = self.redact.clean(room);
        self.sink.take(line.as_bytes(), *event.metadata().level());
    }
}

impl<S: Subscriber> Layer<S> for JsonLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        ROOM.with(|room| match room.try_borrow_mut() {
            Ok(mut room) => self.write(&mut room, event),
            // An event inside an event: a value that logs while it is shown.
            Err(_) => self.write(&mut String::new(), event),
        });
    }
}

fn write_line(line: &mut String, event: &Event<'_>) -> fmt::Result {
    line.push_str(r#"{"timestamp":""#);
    SystemTime.format_time(&mut Writer::new(line))?;
    line.push_str(r#"","level":""#);
    line.push_str(event.metadata().level().as_str());
    line.push('"');
    let mut fields = Fields { line, target: None, shown: String::new() };
    event.record(&mut fields);
    let Fields { line, target, .. } = fields;
    line.push_str(r#","target":"#);
    write_text(line, target.as_deref().unwrap_or(event.metadata().target()));
    line.push_str("}\n");
    Ok(())
}

/// Writes the fields of an event.
struct Fields<'a> {
    line: &'a mut String,
    /// Where an event of the `log` crate comes from.
    target: Option<String>,
    /// The last value that had to be shown before it was written.
    shown: String,
}

impl Fields<'_> {
    fn name(&mut self, field: &Field) {
        self.line.push_str(",\"");
        self.line.push_str(field.name());
        self.line.push_str("\":");
    }

    fn number(&mut self, field: &Field, number: impl fmt::Display) {
        self.name(field);
        let _ = write!(self.line, "{number}");
    }
}

impl Visit for Fields<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        match value.is_finite() {
            true => self.number(field, value),
            false => self.number(field, "null"),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.number(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.number(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.number(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name().starts_with("log.") {
            if field.name() == "log.target" {
                self.target = Some(value.to_owned());
            }
            return;
        }
        self.name(field);
        write_text(self.line, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut shown = std::mem::take(&mut self.shown);
        shown.clear();
        let _ = write!(shown, "{value:?}");
        self.record_str(field, &shown);
        self.shown = shown;
    }
}

/// As JSON, with its quotes.
fn write_text(line: &mut String, text: &str) {
    let is_plain = |byte| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        line.push('"');
        line.push_str(text);
        line.push('"');
    } else {
        line.push_str(&serde_json::Value::from(text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Mutex, PoisonError};

    use serde_json::{Value, json};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            page.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_value_is_written_as_what_it_is_and_secrets_are_struck_out() {
        let (page, redact) = (Page::default(), Redact::new(&["correct-horse".into()]));
        let sink = Sink::new(page.clone()).unwrap();
        let lines = JsonLines::new(Arc::new(redact), sink.clone());
        let subscriber = tracing_subscriber::registry().with(lines);
        tracing::subscriber::with_default(subscriber, || {
            let (id, none) = (-5_i64, Option::<&str>::None);
            tracing::info!(
                chat.id = id,
                kind = "a\n\"b\"",
                took = 1.5,
                nan = f64::NAN,
                big = u64::MAX,
                none,
                "hello"
            );
            tracing::info!(yes = true, shown = ?"ü\"", secret = %"correct-horse", "more than {}", 1);
        });
        sink.flush();
        let page = page.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<Value> = serde_json::Deserializer::from_slice(&page)
            .into_iter()
            .map(|line| line.unwrap())
            .collect();
        let target = module_path!();
        let expected = [
            json!({"level": "INFO", "target": target, "message": "hello", "chat.id": -5, "kind": "a\n\"b\"", "took": 1.5,
                "nan": null, "big": u64::MAX}),
            json!({"level": "INFO", "target": target, "message": "more than 1", "yes": true, "shown": "\"ü\\\"\"",
                "secret": "[redacted]"}),
        ];
        let written = lines.into_iter().map(|mut line| {
            let stamp = line["timestamp"].take();
            assert_eq!(stamp.as_str().unwrap().len(), "2026-01-01T00:00:00.000000Z".len());
            line.as_object_mut().unwrap().remove("timestamp");
            line
        });
        assert_eq!(written.collect::<Vec<Value>>(), expected);
    }
}
