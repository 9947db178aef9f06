//! The emulator as the Telegram of a bench: it delivers what people do by the real rules, and tells them what the bot says.

use std::io;
use std::net::SocketAddr;
use std::time::Instant;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::tally::Tally;
use crate::bot::playground::UserAction;
use crate::emulator::{Call, Cannot, Emulator, Options, Person, Pressing, Sending, Webhook};

/// The id of the first person; the others follow.
const FIRST: i64 = 700_000_000;
/// What says something to a person.
const SAYS: [&str; 5] =
    ["sendMessage", "sendPhoto", "sendMediaGroup", "editMessageText", "editMessageCaption"];

/// A Telegram with people. It ends with this value.
#[derive(Debug)]
pub struct Telegram {
    /// Where its Bot API is to be reached.
    pub address: SocketAddr,
    emulator: Emulator,
    _serving: AbortOnDropHandle<io::Result<()>>,
}

/// Somebody who does things and hears what is said to that.
#[derive(Debug)]
pub struct Somebody {
    id: i64,
    emulator: Emulator,
    heard: mpsc::UnboundedReceiver<Heard>,
}

/// Something that was said to a person.
#[derive(Debug)]
pub struct Heard {
    /// What it says.
    pub text: String,
    /// When.
    pub at: Instant,
}

impl Telegram {
    /// Starts it, with so many people.
    pub fn start(listener: TcpListener, people: usize) -> io::Result<(Self, Vec<Somebody>)> {
        let address = listener.local_addr()?;
        let emulator = Emulator::open(Options::default())?;
        let (ears, heard): (Vec<_>, Vec<_>) =
            (0..people).map(|_| mpsc::unbounded_channel()).unzip();
        emulator.rule(move |call| {
            let ear = usize::try_from(call.chat() - FIRST).ok();
            if let Some(ear) = ear.and_then(|ear| ears.get(ear))
                && SAYS.iter().any(|it| call.method.eq_ignore_ascii_case(it))
            {
                // Somebody who has left hears nothing.
                let _ = ear.send(Heard::of(call));
            }
            None
        });
        let people = (FIRST..).zip(heard);
        let people = people.map(|(id, heard)| Somebody::join(&emulator, id, heard));
        let people = people.collect();
        let serve = emulator.serve(listener, emulator.router());
        let telegram =
            Self { address, _serving: AbortOnDropHandle::new(tokio::spawn(serve)), emulator };
        Ok((telegram, people))
    }

    /// Brings updates there from now on, and counts how that goes.
    pub fn deliver(&self, to: Webhook, tally: Tally) {
        self.emulator.look_on(move |attempt| match attempt.status {
            Some(200..300) => tally.acknowledged(attempt.took),
            _ => tally.again(),
        });
        self.emulator.pin_webhook(to);
    }
}

impl Somebody {
    fn join(emulator: &Emulator, id: i64, heard: mpsc::UnboundedReceiver<Heard>) -> Self {
        emulator.add_person(Person {
            id,
            last_name: Some("Lind".to_owned()),
            username: Some(format!("anna_lind_{id}")),
            ..Person::named("Anna")
        });
        Self { id, emulator: emulator.clone(), heard }
    }

    /// Does this.
    pub fn does(&self, act: UserAction) -> Result<(), Cannot> {
        let from = self.id;
        match act {
            UserAction::Types(text) => self.emulator.say(from, text).map(drop),
            UserAction::SendsPhoto => {
                let photo = Sending { from, photo: Some(Value::Bool(true)), ..Sending::default() };
                self.emulator.send(&photo).map(drop)
            }
            UserAction::Presses(label) => {
                let press = Pressing { from, label: Some(label.to_owned()), ..Pressing::default() };
                self.emulator.press(&press).map(drop)
            }
        }
    }

    /// Forgets what was said until now.
    pub fn clear(&mut self) {
        while self.heard.try_recv().is_ok() {}
    }

    /// Waits until something is said that holds these words.
    pub async fn hears(&mut self, words: &str) -> Heard {
        loop {
            match self.heard.recv().await {
                Some(heard) if heard.text.contains(words) => return heard,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

impl Heard {
    fn of(call: &Call) -> Self {
        let words = |from: &Value| {
            let text = from["text"].as_str().or(from["caption"].as_str());
            text.map(str::to_owned)
        };
        let first = || words(&call.params["media"][0]);
        Self { text: words(&call.params).or_else(first).unwrap_or_default(), at: call.came }
    }
}
