//! The faults of a bot, found before it runs.

use std::collections::BTreeSet;
use std::error;
use std::fmt;

use super::Bot;
use crate::config::{self, Env, Settings};
use crate::dialogue::{Edges, Repertoire, Texts};

/// All faults of a bot, each with its fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl error::Error for Faults {}

/// Collects the faults of everything that the bot declares.
pub(super) fn check<S: Settings>(bot: &Bot<S>) -> Result<(), Faults> {
    let faults: Vec<String> = [
        flows(bot),
        roles(bot),
        Texts::faults(&bot.texts),
        transitions(bot),
        records(bot),
        crate::cli::faults(&bot.subcommands),
        config::faults(&bot.declared().variables::<S>()),
    ]
    .concat();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Faults(faults)),
    }
}

fn flows<S: Settings>(bot: &Bot<S>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for flow in &bot.flows {
        faults.extend(Repertoire::name_fault(flow.name));
        if !seen.insert(flow.name) {
            faults
                .push(format!("two flows are named `{}`: change `NAME` of one of them", flow.name));
        }
    }
    faults
}

fn roles<S: Settings>(bot: &Bot<S>) -> Vec<String> {
    let mut faults = Vec::new();
    for flow in &bot.flows {
        for role in flow.roles.iter().filter(|role| !bot.roles.contains(role)) {
            let name = flow.name;
            faults.push(format!("flow `{name}` wants the role `{role}`, which the bot does not declare: add it to `.roles(…)`"));
        }
    }
    faults
}

fn transitions<S: Settings>(bot: &Bot<S>) -> Vec<String> {
    let Some(snapshot) = bot.transitions else {
        return Vec::new();
    };
    let edges = match Edges::read(snapshot) {
        Ok(edges) => edges,
        Err(error) => return vec![format!("the snapshot of transitions: {error}")],
    };
    let known = bot.states();
    let unknown = edges.states().into_iter().filter(|state| !known.contains(state));
    unknown
        .map(|state| format!("the snapshot of transitions names `{state}`, which no flow has: correct the line, or walk it again in a test"))
        .collect()
}

/// Checks the schema of settings that are read from an empty environment. Settings that need a variable are checked at the start.
fn records<S: Settings>(bot: &Bot<S>) -> Vec<String> {
    let Some(schema) = &bot.schema else {
        return Vec::new();
    };
    match S::read(&mut Env::new(&|_| None, bot.declared().variables::<S>())) {
        Ok(settings) => schema(&settings).faults().to_vec(),
        Err(_) => Vec::new(),
    }
}
