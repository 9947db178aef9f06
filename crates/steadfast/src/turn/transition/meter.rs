//! What is counted of transitions: how dialogues go through their flows, where they stand and for how long.
//!
//! A transition is looked up once and finds all its handles; those of the known ones are made at the start, so every series is
//! there from the first scrape.

use std::collections::{BTreeSet, HashMap};

use metrics::{Counter, Histogram, counter, histogram};

use crate::dialogue::{Edge, Edges, Passage};

/// Which way a state was left: to what comes next, or out of the flow.
pub(crate) const WAYS: [&str; 2] = ["onward", "away"];
/// What a state is called that the snapshot does not have: the number of series stays that of the snapshot.
const OTHER: &str = "other";

/// A handle for everything that is counted.
#[derive(Debug)]
pub(super) struct Meter {
    edges: Edges,
    states: BTreeSet<String>,
    known: HashMap<Edge, Handles>,
    unknown: Counter,
}

/// What a transition adds to.
#[derive(Debug)]
struct Handles {
    transitions: Counter,
    started: Option<Counter>,
    entered: Option<Counter>,
    left: Option<Histogram>,
    finished: Option<Counter>,
}

impl Meter {
    pub(super) fn new(edges: &Edges) -> Self {
        let states = edges.states();
        let handles = |edge: Edge| (edge.clone(), Handles::new(&edge, &states));
        let known = edges.all().into_iter().map(handles).collect();
        for flow in edges.flows() {
            started(flow).increment(0);
            Edge::OUTCOMES.iter().for_each(|outcome| finished(flow, outcome).increment(0));
        }
        for place in &states {
            let (flow, state) = place.split_once('/').unwrap_or((place, OTHER));
            entered(flow, state).increment(0);
            WAYS.iter().for_each(|way| drop(left(flow, state, way)));
        }
        Self {
            edges: edges.clone(),
            states,
            known,
            unknown: counter!("steadfast_transitions_unknown_total"),
        }
    }

    /// Counts a transition; answers whether it is known.
    pub(super) fn count(&self, walked: &Passage) -> bool {
        match self.known.get(&walked.edge) {
            Some(handles) => handles.count(walked),
            None => Handles::new(&walked.edge, &self.states).count(walked),
        }
        let known = self.edges.knows(&walked.edge);
        self.unknown.increment(u64::from(!known));
        known
    }
}

impl Handles {
    fn new(edge: &Edge, states: &BTreeSet<String>) -> Self {
        let Edge { flow, from, to } = edge;
        let known = |state| {
            let is_known = states.contains(&format!("{flow}/{state}"));
            if is_known { state } else { OTHER }
        };
        let is_begun = from == "start";
        // A state that is asked about again is neither left nor entered.
        let leaves = from != to && !is_begun;
        let enters = from != to && edge.outcome().is_none();
        let way = WAYS[usize::from(!edge.is_onward())];
        Self {
            transitions: transitions(edge),
            started: is_begun.then(|| started(flow)),
            entered: enters.then(|| entered(flow, known(to))),
            left: leaves.then(|| left(flow, known(from), way)),
            finished: edge.outcome().map(|outcome| finished(flow, outcome)),
        }
    }

    fn count(&self, walked: &Passage) {
        let counters = [&self.started, &self.entered, &self.finished];
        for counter in counters.into_iter().flatten().chain([&self.transitions]) {
            counter.increment(1);
        }
        if let (Some(left), Some(stood)) = (&self.left, walked.stood) {
            left.record(stood);
        }
    }
}

fn transitions(edge: &Edge) -> Counter {
    let Edge { flow, from, to } = edge.clone();
    counter!("steadfast_transitions_total", "flow" => flow, "from" => from, "to" => to)
}

fn started(flow: &str) -> Counter {
    counter!("steadfast_dialogues_started_total", "flow" => flow.to_owned())
}

fn finished(flow: &str, outcome: &'static str) -> Counter {
    counter!("steadfast_dialogues_finished_total", "flow" => flow.to_owned(), "outcome" => outcome)
}

fn entered(flow: &str, state: &str) -> Counter {
    let labels = [("flow", flow.to_owned()), ("state", state.to_owned())];
    counter!("steadfast_state_entered_total", &labels)
}

fn left(flow: &str, state: &str, way: &'static str) -> Histogram {
    let labels = [("flow", flow.to_owned()), ("state", state.to_owned()), ("way", way.to_owned())];
    histogram!("steadfast_state_duration_seconds", &labels)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry;

    fn walked(from: &str, to: &str, seconds: Option<u64>) -> Passage {
        Passage { edge: Edge::new("photo", from, to), stood: seconds.map(Duration::from_secs) }
    }

    fn page(walk: impl FnOnce(&Meter)) -> String {
        let recorder = telemetry::recorder().unwrap();
        let edges = Edges::read("photo: start -> caption\nphoto: caption -> done").unwrap();
        metrics::with_local_recorder(&recorder, || walk(&Meter::new(&edges)));
        recorder.handle().render()
    }

    fn assert_shows(page: &str, lines: &[&str]) {
        for line in lines {
            assert!(page.lines().any(|shown| shown == *line), "{line}\n{page}");
        }
    }

    #[test]
    fn a_transition_that_no_transcript_has_walked_is_flagged() {
        let page = page(|meter| {
            assert!(meter.count(&walked("start", "caption", None)));
            assert!(meter.count(&walked("caption", "cancelled", Some(1))));
            assert!(!meter.count(&walked("start", "done", None)));
        });
        let shown = [
            "steadfast_transitions_unknown_total 1",
            r#"steadfast_transitions_total{flow="photo",from="start",to="caption"} 1"#,
            r#"steadfast_transitions_total{flow="photo",from="caption",to="done"} 0"#,
            r#"steadfast_transitions_total{flow="photo",from="caption",to="cancelled"} 1"#,
            r#"steadfast_transitions_total{flow="photo",from="caption",to="parked"} 0"#,
            r#"steadfast_transitions_total{flow="photo",from="parked",to="forgotten"} 0"#,
            r#"steadfast_transitions_total{flow="photo",from="start",to="done"} 1"#,
        ];
        assert_shows(&page, &shown);
    }

    #[test]
    fn the_funnel_counts_who_began_who_came_where_and_how_it_ended() {
        let page = page(|meter| {
            for _ in 0..3 {
                meter.count(&walked("start", "caption", None));
            }
            meter.count(&walked("caption", "caption", None));
            meter.count(&walked("caption", "done", Some(40)));
            meter.count(&walked("caption", "parked", Some(600)));
            meter.count(&walked("parked", "replaced", Some(1)));
        });
        let shown = [
            r#"steadfast_dialogues_started_total{flow="photo"} 3"#,
            r#"steadfast_state_entered_total{flow="photo",state="caption"} 3"#,
            r#"steadfast_state_entered_total{flow="photo",state="parked"} 1"#,
            r#"steadfast_state_duration_seconds_count{flow="photo",state="caption",way="onward"} 1"#,
            r#"steadfast_state_duration_seconds_sum{flow="photo",state="caption",way="onward"} 40"#,
            r#"steadfast_state_duration_seconds_sum{flow="photo",state="caption",way="away"} 600"#,
            r#"steadfast_dialogues_finished_total{flow="photo",outcome="completed"} 1"#,
            r#"steadfast_dialogues_finished_total{flow="photo",outcome="replaced"} 1"#,
            r#"steadfast_dialogues_finished_total{flow="photo",outcome="timeout"} 0"#,
        ];
        assert_shows(&page, &shown);
    }

    #[test]
    fn every_series_is_there_before_anything_happens() {
        let page = page(|_| {});
        for state in ["caption", "parked"] {
            assert_shows(
                &page,
                &[&format!(r#"steadfast_state_entered_total{{flow="photo",state="{state}"}} 0"#)],
            );
            for way in WAYS {
                let count = format!(
                    r#"steadfast_state_duration_seconds_count{{flow="photo",state="{state}",way="{way}"}} 0"#
                );
                assert_shows(&page, &[&count]);
            }
        }
    }

    #[test]
    fn a_state_that_the_snapshot_does_not_have_makes_no_series_of_its_own() {
        let page = page(|meter| {
            meter.count(&walked("caption", "surprise", Some(1)));
            meter.count(&walked("surprise", "done", Some(2)));
        });
        let shown = [
            r#"steadfast_state_entered_total{flow="photo",state="other"} 1"#,
            r#"steadfast_state_duration_seconds_count{flow="photo",state="other",way="onward"} 1"#,
        ];
        assert_shows(&page, &shown);
    }
}
