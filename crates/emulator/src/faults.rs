//! What goes wrong on command: with the delivery of updates, or with calls of the bot.

use serde::{Deserialize, Serialize};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Delivery: the connection is closed before the bot has the whole update.
    CloseBefore,
    /// Delivery: the connection is closed after the bot answered, and before the answer came.
    CloseAfter,
    /// Delivery: the answer breaks off. Call: half an answer, although it is done.
    Truncate,
    /// Delivery: the answer does not come within the 60 s; with `after_s`, it comes after that.
    Delay,
    /// Delivery: it is sent twice at once.
    Twice,
    /// Delivery: the answer is forgotten, and the update sent again.
    DropAck,
    /// Delivery: the app sends the press again, under new ids.
    ResendPress,
    /// Call: 429, come again after `retry_after` seconds.
    TooMany,
    /// Call: an error with `status` and `description`.
    Error,
    /// Call: no answer, although it is done.
    Hang,
    /// Call: the connection is cut, although it is done.
    Reset,
    /// Call: an answer that is no JSON, although it is done; with `status`, under that.
    Garbage,
    /// Call: the answer takes `after_s` seconds.
    Slow,
    /// Call: the answer waits until it is let go, by whoever set it in the same process; nobody else can.
    #[serde(skip_deserializing)]
    Hold,
}

/// What it goes wrong with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// The delivery of an update.
    Delivery,
    /// A call of the bot.
    Call,
}

/// Something that goes wrong, until it is taken back or has happened often enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What it is taken back by.
    #[serde(default)]
    pub id: u64,
    /// What it goes wrong with; nothing: what its kind says.
    #[serde(default)]
    pub on: Option<On>,
    /// What goes wrong.
    pub kind: Kind,
    /// With calls of this method only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// In this chat only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<i64>,
    /// How many times; nothing: until it is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// For `slow` and `delay`: how many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_s: Option<u64>,
    /// The same in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// For `too_many`: how many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// For `error` and `garbage`: its status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// For `error`: its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl From<Kind> for Fault {
    fn from(kind: Kind) -> Self {
        Self {
            id: 0,
            on: None,
            kind,
            method: None,
            chat: None,
            times: None,
            after_s: None,
            after_ms: None,
            retry_after: None,
            status: None,
            description: None,
        }
    }
}

impl Fault {
    /// A 429.
    pub fn too_many(retry_after: u64) -> Self {
        Self { retry_after: Some(retry_after), ..Kind::TooMany.into() }
    }

    /// An error.
    pub fn error(status: u16, description: &str) -> Self {
        Self {
            status: Some(status),
            description: Some(description.to_owned()),
            ..Kind::Error.into()
        }
    }

    /// An answer that takes its time.
    pub fn slow(time: std::time::Duration) -> Self {
        Self { after_ms: Some(super::clock::millis(time)), ..Kind::Slow.into() }
    }

    /// The same so many times.
    pub fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }

    /// The same for one method.
    pub fn of(self, method: &str) -> Self {
        Self { method: Some(method.to_owned()), ..self }
    }

    /// The same in one chat.
    pub fn in_chat(self, chat: i64) -> Self {
        Self { chat: Some(chat), ..self }
    }

    /// The same with deliveries; only `truncate` is not clear by itself.
    pub fn on_delivery(self) -> Self {
        Self { on: Some(On::Delivery), ..self }
    }

    /// What it goes wrong with.
    pub fn concerns(&self) -> On {
        self.on.unwrap_or(match self.kind {
            Kind::CloseBefore | Kind::CloseAfter | Kind::Delay | Kind::Twice => On::Delivery,
            Kind::DropAck | Kind::ResendPress => On::Delivery,
            _ => On::Call,
        })
    }

    /// How long it takes, if that is said.
    pub(super) fn after_ms(&self) -> Option<u64> {
        self.after_s.map(|seconds| seconds.saturating_mul(1000)).or(self.after_ms)
    }

    /// Whether the bot gets no answer to its call at all.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.kind, Kind::Hang | Kind::Reset)
    }

    /// Whether this can go wrong at all; or why not.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let natural = Self::from(self.kind).concerns();
        if self.kind != Kind::Truncate && self.concerns() != natural {
            return Err("that kind does not go with what it is on");
        }
        if self.method.is_some() && self.concerns() == On::Delivery {
            return Err("`method` is for faults on calls: a delivery has none");
        }
        if self.times == Some(0) {
            return Err("`times` is at least 1");
        }
        match self.status {
            Some(status) if !(300..=599).contains(&status) => {
                Err("`status` is one of an error, 300 to 599")
            }
            _ => Ok(()),
        }
    }
}

/// All that goes wrong now.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    last: u64,
    list: Vec<Fault>,
}

impl Faults {
    pub(super) fn list(&self) -> &[Fault] {
        &self.list
    }

    /// From now on this goes wrong; or why it cannot.
    pub(super) fn add(&mut self, mut fault: Fault) -> Result<Fault, &'static str> {
        fault.check()?;
        self.last += 1;
        fault.id = self.last;
        fault.on = Some(fault.concerns());
        self.list.push(fault.clone());
        Ok(fault)
    }

    /// Takes back one, or all.
    pub(super) fn remove(&mut self, id: Option<u64>) {
        self.list.retain(|fault| id.is_some_and(|id| fault.id != id));
    }

    /// What goes wrong with this call, if anything; it counts.
    pub(super) fn of_call(&mut self, method: &str, chat: i64) -> Option<Fault> {
        self.strike(|fault| {
            let asked = fault.method.as_deref();
            fault.concerns() == On::Call
                && asked.is_none_or(|name| name.eq_ignore_ascii_case(method))
                && fault.chat.is_none_or(|asked| asked == chat)
        })
    }

    /// What goes wrong with this delivery, if anything; it counts.
    pub(super) fn of_delivery(&mut self, kind: &str, chat: i64) -> Option<Fault> {
        self.strike(|fault| {
            fault.concerns() == On::Delivery
                && (fault.kind != Kind::ResendPress || kind == "callback_query")
                && fault.chat.is_none_or(|asked| asked == chat)
        })
    }

    fn strike(&mut self, is_it: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let at = self.list.iter().position(is_it)?;
        let fault = self.list[at].clone();
        match &mut self.list[at].times {
            Some(times) if *times > 1 => *times -= 1,
            Some(_) => drop(self.list.remove(at)),
            None => {}
        }
        Some(fault)
    }
}
