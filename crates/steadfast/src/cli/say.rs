//! What a command says. Whoever has heard enough, as `head` has, does not keep it from what it is to do.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write as _};

use super::Failure;

/// Says a line.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::cli::say::text(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(super) use say;

/// Says this as it is.
pub(super) fn text(words: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    heard(write!(out, "{words}").and_then(|()| out.flush()))
}

/// That nobody listens is no failure; that a disk is full is one.
fn heard(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Failure::plain(format!("standard output: {error}"))),
    }
}
