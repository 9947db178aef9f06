//! The last net under the log: what must not be seen is struck out of every line, whoever wrote it.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use memchr::memmem::Finder;
use secrecy::{ExposeSecret, SecretString};
use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

/// What stands where something was struck out.
const STRUCK: &str = "[redacted]";
/// Shorter secrets are not looked for: they would be found in ordinary words.
const SHORTEST: usize = 8;

/// Strikes out known secrets, and whatever looks like a bot token.
pub struct Redact(Vec<Finder<'static>>);

impl fmt::Debug for Redact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redact({})", self.0.len())
    }
}

impl Redact {
    /// Knows these.
    pub fn new(secrets: &[SecretString]) -> Self {
        let secrets = secrets.iter().map(|secret| secret.expose_secret());
        let long = secrets.filter(|secret| secret.len() >= SHORTEST);
        Self(long.map(|secret| Finder::new(secret).into_owned()).collect())
    }

    /// The text as it may be seen.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in &self.0 {
            if secret.find(text.as_bytes()).is_some() {
                text = without(secret, &text).into();
            }
        }
        match without_tokens(&text) {
            Some(cleaner) => cleaner.into(),
            None => text,
        }
    }
}

/// The text without this secret.
fn without(secret: &Finder<'_>, text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut copied = 0;
    for at in secret.find_iter(text.as_bytes()) {
        clean += &text[copied..at];
        clean += STRUCK;
        copied = at + secret.needle().len();
    }
    clean + &text[copied..]
}

/// The text without what looks like a bot token: six digits or more, a colon, thirty letters or more.
fn without_tokens(text: &str) -> Option<String> {
    let mut clean = String::new();
    let mut copied = 0;
    for (colon, _) in text.match_indices(':') {
        let (before, after) = (&text[copied.min(colon)..colon], &text[colon + 1..]);
        let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
        let letters =
            after.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count();
        if digits >= 6 && letters >= 30 {
            clean += &text[copied..colon - digits];
            clean += STRUCK;
            copied = colon + 1 + letters;
        }
    }
    (copied > 0).then(|| clean + &text[copied..])
}

/// Makes writers whose lines are clean.
#[derive(Debug, Clone)]
pub struct Redacted<M> {
    redact: Arc<Redact>,
    inner: M,
}

/// A writer whose lines are clean.
#[derive(Debug)]
pub struct Clean<W> {
    redact: Arc<Redact>,
    inner: W,
}

impl<M> Redacted<M> {
    /// Cleans what goes to the writers of `inner`.
    pub fn new(redact: Arc<Redact>, inner: M) -> Self {
        Self { redact, inner }
    }
}

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for Redacted<M> {
    type Writer = Clean<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Clean { redact: Arc::clone(&self.redact), inner: self.inner.make_writer() }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Self::Writer {
        Clean { redact: Arc::clone(&self.redact), inner: self.inner.make_writer_for(event) }
    }
}

impl<W: Write> Write for Clean<W> {
    /// Takes a whole line, as the subscriber writes it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        self.inner.write_all(self.redact.clean(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "123456789:AAF-abcdefghijklmnopqrstuvwxyz_0123";

    #[test]
    fn known_secrets_are_struck_out() {
        let redact = Redact::new(&["correct-horse".into(), "tiny".into()]);
        assert_eq!(
            redact.clean("a correct-horse, twice: correct-horse."),
            "a [redacted], twice: [redacted]."
        );
        assert_eq!(redact.clean("a tiny one stays"), "a tiny one stays");
    }

    #[test]
    fn whatever_looks_like_a_token_is_struck_out() {
        let redact = Redact::new(&[]);
        let line = format!("https://api.telegram.org/bot{TOKEN}/sendMessage and {TOKEN}");
        assert_eq!(
            redact.clean(&line),
            "https://api.telegram.org/bot[redacted]/sendMessage and [redacted]"
        );
    }

    #[test]
    fn ordinary_lines_stay_as_they_are() {
        let redact = Redact::new(&["correct-horse".into()]);
        for line in ["", "::", "12:30:45 ünï 123456789:short", "key -1001234567890:5", "1234567:"]
        {
            assert!(matches!(redact.clean(line), Cow::Borrowed(same) if same == line), "{line}");
        }
    }
}
