//! The transitions of flows, and those that tests have walked.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::time::Duration;

/// One transition of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The flow's name.
    pub flow: String,
    /// The state left, or `start`, or `parked`.
    pub from: String,
    /// The state entered, or `done`, `cancelled`, `failed`, `parked`, `forgotten`, `replaced`.
    pub to: String,
}

/// A transition as a dialogue went through it. Reads as its edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The transition.
    pub edge: Edge,
    /// How long the dialogue had stood in what it left. None where it begins, or where it stays.
    pub stood: Option<Duration>,
}

impl Deref for Passage {
    type Target = Edge;

    fn deref(&self) -> &Edge {
        &self.edge
    }
}

/// Where dialogues come from.
const SOURCES: [&str; 2] = ["start", "parked"];
/// Where dialogues end.
const ENDS: [&str; 6] = ["done", "cancelled", "failed", "parked", "forgotten", "replaced"];

impl Edge {
    /// What [`Edge::outcome`] can be.
    pub const OUTCOMES: [&'static str; 5] =
        ["completed", "cancelled", "failed", "timeout", "replaced"];

    /// A transition.
    pub fn new(flow: &str, from: &str, to: &str) -> Self {
        Self { flow: flow.to_owned(), from: from.to_owned(), to: to.to_owned() }
    }

    /// How a dialogue came to its end, if this is one: the label of the metric.
    pub fn outcome(&self) -> Option<&'static str> {
        match self.to.as_str() {
            "done" => Some("completed"),
            "cancelled" => Some("cancelled"),
            "failed" => Some("failed"),
            "forgotten" => Some("timeout"),
            "replaced" => Some("replaced"),
            _ => None,
        }
    }

    /// Whether it leads on, to another state or to the flow's own end, and not away from it.
    pub fn is_onward(&self) -> bool {
        self.to == "done" || !ENDS.contains(&self.to.as_str())
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} -> {}", self.flow, self.from, self.to)
    }
}

impl FromStr for Edge {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let parts =
            line.split_once(": ").and_then(|(flow, edge)| Some((flow, edge.split_once(" -> ")?)));
        let (flow, (from, to)) =
            parts.ok_or_else(|| format!("`{line}` is not an edge: expected FLOW: FROM -> TO"))?;
        Ok(Self::new(flow, from, to))
    }
}

/// The transitions that tests have walked: the reviewed snapshot that production is held against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edges {
    walked: BTreeSet<Edge>,
    /// True if there is no snapshot: every transition is expected.
    is_open: bool,
}

impl Edges {
    /// Reads a snapshot: an edge a line.
    pub fn read(snapshot: &str) -> Result<Self, String> {
        let lines = snapshot.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(|walked| Self { walked, is_open: false })
    }

    /// Returns the snapshot of a bot that has none: every transition is expected.
    pub fn open() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    /// Whether the transition is known. What can happen in every state is always known: parking and cancelling, going on
    /// with a draft, forgetting or replacing one, and failing.
    pub fn knows(&self, edge: &Edge) -> bool {
        let anywhere = matches!(
            edge.to.as_str(),
            "parked" | "cancelled" | "failed" | "forgotten" | "replaced"
        ) || edge.from == "parked";
        self.is_open || anywhere || self.walked.contains(edge)
    }

    /// Every transition there can be: those that were walked, and those that can happen in every state.
    pub fn all(&self) -> BTreeSet<Edge> {
        let mut all = self.walked.clone();
        for place in self.states() {
            let (flow, state) = place.split_once('/').unwrap_or((&place, ""));
            let (from, ends): (_, &[&str]) = match state {
                "parked" => (state, &["cancelled", "forgotten", "replaced"]),
                _ => (state, &["cancelled", "failed", "parked"]),
            };
            all.extend(ends.iter().map(|end| Edge::new(flow, from, end)));
            if state != "parked" {
                all.insert(Edge::new(flow, "parked", state));
            }
        }
        all
    }

    /// Every transition that was walked.
    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.walked.iter()
    }

    /// Every flow.
    pub fn flows(&self) -> BTreeSet<&str> {
        self.walked.iter().map(|edge| edge.flow.as_str()).collect()
    }

    /// Every state of every flow, as `flow/state`.
    pub fn states(&self) -> BTreeSet<String> {
        let ends =
            self.walked.iter().flat_map(|edge| [(&edge.flow, &edge.from), (&edge.flow, &edge.to)]);
        let real = ends.filter(|(_, state)| {
            !SOURCES.contains(&state.as_str()) && !ENDS.contains(&state.as_str())
        });
        let parked = self.walked.iter().map(|edge| format!("{}/parked", edge.flow));
        real.map(|(flow, state)| format!("{flow}/{state}")).chain(parked).collect()
    }

    /// A Mermaid diagram of each flow.
    pub fn diagrams(&self) -> String {
        let flows: BTreeSet<_> = self.walked.iter().map(|edge| edge.flow.as_str()).collect();
        flows.into_iter().map(|flow| self.diagram(flow)).collect::<Vec<_>>().join("\n")
    }

    /// A Mermaid diagram of one flow.
    pub fn diagram(&self, flow: &str) -> String {
        let name = |state: &str, outside: &[&str]| {
            if outside.contains(&state) { "[*]" } else { state }.to_owned()
        };
        let mut lines = vec![
            "---".to_owned(),
            format!("title: {flow}"),
            "---".to_owned(),
            "stateDiagram-v2".to_owned(),
        ];
        for edge in self.walked.iter().filter(|edge| edge.flow == flow) {
            let (from, to) = (
                name(&edge.from, &["start"]),
                name(&edge.to, &["done", "cancelled", "failed", "forgotten", "replaced"]),
            );
            // An arrow from the beginning to the end would be a loop around nothing.
            if from == to && from == "[*]" {
                lines.push("    state \"over at once\" as at_once".to_owned());
                lines.push("    [*] --> at_once".to_owned());
                lines.push("    at_once --> [*]".to_owned());
                continue;
            }
            let label = if to == "[*]" && edge.to != "done" {
                format!(" : {}", edge.to)
            } else {
                String::new()
            };
            lines.push(format!("    {from} --> {to}{label}"));
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_read_line_by_line() {
        let edges =
            Edges::read("# reviewed\nphoto: start -> caption\nphoto: caption -> done\n").unwrap();
        assert!(edges.knows(&Edge::new("photo", "start", "caption")));
        assert!(!edges.knows(&Edge::new("photo", "done", "caption")));
        assert!(Edges::read("nonsense").is_err());
    }

    #[test]
    fn what_can_happen_in_every_state_is_always_known() {
        assert!(Edges::default().knows(&Edge::new("photo", "caption", "cancelled")));
        assert!(Edges::default().knows(&Edge::new("photo", "parked", "caption")));
    }

    #[test]
    fn the_diagram_shows_every_edge() {
        let edges = Edges::read("photo: start -> caption\nphoto: caption -> done\n").unwrap();
        assert!(edges.diagram("photo").contains("[*] --> caption"));
        assert!(edges.diagram("photo").contains("caption --> [*]"));
    }

    #[test]
    fn the_diagram_shows_a_flow_that_is_over_at_once() {
        let drawn = Edges::read("photo: start -> done\n").unwrap().diagram("photo");
        assert!(!drawn.contains("[*] --> [*]"), "{drawn}");
        assert!(drawn.contains("[*] --> at_once"), "{drawn}");
        assert!(drawn.contains("at_once --> [*]"), "{drawn}");
    }

    #[test]
    fn what_can_happen_in_every_state_is_part_of_all() {
        let all = Edges::read("photo: start -> caption\nphoto: caption -> done\n").unwrap().all();
        let all: Vec<_> = all.iter().map(ToString::to_string).collect();
        let expected = [
            "photo: caption -> cancelled",
            "photo: caption -> done",
            "photo: caption -> failed",
            "photo: caption -> parked",
            "photo: parked -> cancelled",
            "photo: parked -> caption",
            "photo: parked -> forgotten",
            "photo: parked -> replaced",
            "photo: start -> caption",
        ];
        assert_eq!(all, expected);
    }
}
