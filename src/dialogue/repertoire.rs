//! All that a bot can do: its flows and its texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::engine::{GLOBAL, MENU, title};
use super::erased::{AnyFlow, Erased};
use super::flow::Flow;
use super::identity::Identity;
use super::saved::{FORMAT, RECORD};
use super::text::Text;
use super::texts::Texts;
use crate::dialogue::Member;

/// So that its buttons have room for an argument.
const MAX_NAME_BYTES: usize = 24;

/// All that a bot can do: its flows, in the order in which they are asked to open, and its texts.
pub struct Repertoire {
    pub(super) flows: Vec<Box<dyn AnyFlow>>,
    pub(super) texts: Texts,
    pub(super) waits: Waits,
    pub(super) identity: Identity,
}

/// How long dialogues wait where a flow does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waits {
    /// Takes the place of every flow's own [`Flow::ttl`].
    pub state_ttl: Option<Duration>,
    /// How long a parked draft can be gone on with, where the flow does not say.
    pub data_ttl: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Self { state_ttl: None, data_ttl: Duration::from_secs(24 * 3600) }
    }
}

impl fmt::Debug for Repertoire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repertoire")
            .field("flows", &self.schemas())
            .field("texts", &self.texts)
            .finish()
    }
}

impl Repertoire {
    /// A bot that can say these texts and nothing else.
    pub fn new(texts: Texts) -> Self {
        Self { flows: Vec::new(), texts, waits: Waits::default(), identity: Identity::default() }
    }

    /// Adds a flow.
    ///
    /// # Panics
    /// When its name is taken, or no short word of small letters, digits, `-` and `_`: it is part of keys, labels and buttons.
    #[must_use]
    pub fn with<F: Flow>(mut self) -> Self {
        let name = F::NAME;
        if let Some(fault) = Self::name_fault(name) {
            panic!("{fault}");
        }
        assert!(self.flow(name).is_none(), "there are two flows called `{name}`");
        self.flows.push(Box::new(Erased::<F>(PhantomData)));
        self
    }

    /// Returns the reason why a flow cannot have this name, if there is one.
    pub fn name_fault(name: &str) -> Option<String> {
        if name == MENU {
            return Some(format!("a flow cannot be named `{MENU}`: that is the menu itself"));
        }
        let fault = || {
            format!(
                "a flow cannot be named `{name}`: use a-z, 0-9, - and _, at most {MAX_NAME_BYTES} bytes"
            )
        };
        (!is_word(name)).then(fault)
    }

    /// Adds texts in Fluent's syntax.
    #[must_use]
    pub fn texts(mut self, language: &str, source: &str) -> Self {
        self.texts = self.texts.with(language, source);
        self
    }

    /// Says who the bot is.
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> Self {
        self.identity = identity;
        self
    }

    /// Counts in the money of this sign.
    #[must_use]
    pub fn in_currency(mut self, sign: &str) -> Self {
        self.texts = self.texts.in_currency(sign);
        self
    }

    /// Sets how long dialogues wait.
    #[must_use]
    pub fn waits(mut self, waits: Waits) -> Self {
        self.waits = waits;
        self
    }

    /// The names of its flows.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.flows.iter().map(|flow| flow.name())
    }

    /// The states of this flow, in the order in which they are written.
    pub fn states(&self, name: &str) -> &'static [&'static str] {
        self.flow(name).map_or(&[], AnyFlow::states)
    }

    /// Returns every state of every flow, and its drafts, as `flow/state`.
    pub fn all_states(&self) -> BTreeSet<String> {
        let states = self.flows.iter().flat_map(|flow| {
            let states = flow.states().iter().copied().chain(["parked"]);
            states.map(|state| format!("{}/{state}", flow.name()))
        });
        states.collect()
    }

    /// The newest schema of each flow that this build reads, and the newest format of the record around them.
    pub fn schemas(&self) -> BTreeMap<String, u32> {
        let flows = self.flows.iter().map(|flow| (flow.name(), flow.schema()));
        flows.chain([(RECORD, FORMAT)]).map(|(name, schema)| (name.to_owned(), schema)).collect()
    }

    /// The languages it speaks, the one for everybody else first.
    pub fn languages(&self) -> Vec<&str> {
        self.texts.languages().collect()
    }

    /// The commands that this person can give, and what is said of them in this language: those of the flows of their menu, then
    /// those that always work. A flow whose name cannot be a command has none.
    pub fn commands(&self, language: &str, member: &Member) -> Vec<(&'static str, String)> {
        let flows = self.flows.iter().map(|flow| &**flow);
        let flows = flows.filter(|flow| flow.in_menu() && member.is_any_of(flow.roles()));
        let own = flows
            .map(|flow| flow.name())
            .filter(|name| !name.contains('-') && !GLOBAL.contains(name));
        own.chain(GLOBAL)
            .map(|name| (name, self.texts.plain(&self.summary(name), language)))
            .collect()
    }

    /// What a command does, in a few words: its own text, else the title of its flow.
    fn summary(&self, name: &str) -> Text {
        let own = format!("{name}-command");
        match self.texts.has(&own) {
            true => Text::of_key(own),
            false => title(name),
        }
    }

    pub(super) fn flow(&self, name: &str) -> Option<&dyn AnyFlow> {
        self.flows.iter().find(|flow| flow.name() == name).map(|flow| &**flow)
    }
}

fn is_word(name: &str) -> bool {
    let part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= MAX_NAME_BYTES
        && name.bytes().all(part)
}
