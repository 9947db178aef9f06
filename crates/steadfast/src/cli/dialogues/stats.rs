//! `dialogues stats`: how people come through the flows, and where they stand.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Failure;
use super::super::client::Client;
use super::super::say::{self, say};
use super::super::table::table;
use crate::dialogue::Edge;

pub(super) async fn show(server: &Client) -> Result<(), Failure> {
    let shown = Shown::read(&server.text("/metrics").await?);
    say::text(format_args!("{}\n{}", table(&shown.funnels()), table(&shown.states())))?;
    say!("\nNOW is of all replicas; the rest is of the one that was asked, since it started.")?;
    Ok(())
}

/// What `/metrics` shows of dialogues.
#[derive(Debug)]
struct Shown(Vec<Series>);

/// One line of `/metrics`.
#[derive(Debug)]
struct Series {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

impl Shown {
    fn read(page: &str) -> Self {
        let series = page.lines().filter_map(Series::read);
        let of_dialogues = |series: &Series| {
            let kinds = ["steadfast_dialogues_", "steadfast_state_"];
            kinds.iter().any(|kind| series.name.starts_with(kind))
        };
        Self(series.filter(of_dialogues).collect())
    }

    /// A line for each flow: how many began, and how they ended.
    fn funnels(&self) -> Vec<[String; 7]> {
        let header = ["FLOW", "STARTED"].into_iter().chain(Edge::OUTCOMES);
        let mut rows = vec![row(header.map(str::to_uppercase))];
        for flow in self.values("flow") {
            let started = self.sum("steadfast_dialogues_started_total", &[("flow", &flow)]);
            let ended = Edge::OUTCOMES.map(|outcome| {
                let labels = [("flow", flow.as_str()), ("outcome", outcome)];
                share(self.sum("steadfast_dialogues_finished_total", &labels), started)
            });
            let cells = [flow.clone(), started.to_string()];
            rows.push(row(cells.into_iter().chain(ended)));
        }
        rows
    }

    /// A line for each state: who is there, who came, which way they left, and how long the answer took.
    fn states(&self) -> Vec<[String; 6]> {
        let header = ["FLOW/STATE", "NOW", "ENTERED", "ONWARD", "AWAY", "MEDIAN"];
        let mut rows = vec![header.map(str::to_owned)];
        let places: BTreeSet<_> = self.0.iter().filter_map(Series::place).collect();
        for (flow, state) in places {
            let here = [("flow", flow), ("state", state)];
            let left = |way| {
                let labels = [here[0], here[1], ("way", way)];
                self.sum("steadfast_state_duration_seconds_count", &labels)
            };
            let entered = self.sum("steadfast_state_entered_total", &here);
            rows.push([
                format!("{flow}/{state}"),
                self.sum("steadfast_dialogues_active", &here).to_string(),
                entered.to_string(),
                share(left("onward"), entered),
                share(left("away"), entered),
                self.median(flow, state),
            ]);
        }
        rows
    }

    /// Within which time half of those who went on did.
    fn median(&self, flow: &str, state: &str) -> String {
        let labels = [("flow", flow), ("state", state), ("way", "onward")];
        let buckets = self.0.iter().filter(|series| {
            series.name == "steadfast_state_duration_seconds_bucket" && series.has(&labels)
        });
        let mut buckets: Vec<_> = buckets
            .filter_map(|series| {
                Some((series.labels.get("le")?.parse::<f64>().ok()?, series.value))
            })
            .collect();
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = buckets.last().map_or(0.0, |(_, count)| *count);
        let middle = buckets.iter().find(|(_, count)| *count * 2.0 >= all);
        match middle.filter(|_| all > 0.0) {
            None => "-".to_owned(),
            Some((limit, _)) if limit.is_finite() => format!("under {}", span(*limit)),
            Some(_) => "more".to_owned(),
        }
    }

    fn sum(&self, name: &str, labels: &[(&str, &str)]) -> u64 {
        let fits = |series: &&Series| series.name == name && series.has(labels);
        self.0.iter().filter(fits).map(|series| series.value as u64).sum()
    }

    fn values(&self, label: &str) -> BTreeSet<String> {
        let values = self.0.iter().filter_map(|series| series.labels.get(label));
        values.cloned().collect()
    }
}

impl Series {
    /// Names and values are our own and hold neither quotes nor commas.
    fn read(line: &str) -> Option<Self> {
        let (series, value) = line.rsplit_once(' ')?;
        let (name, labels) = series.split_once('{')?;
        let labels = labels.trim_end_matches('}').split(',').filter_map(|label| {
            let (name, value) = label.split_once('=')?;
            Some((name.to_owned(), value.trim_matches('"').to_owned()))
        });
        Some(Self { name: name.to_owned(), labels: labels.collect(), value: value.parse().ok()? })
    }

    fn has(&self, labels: &[(&str, &str)]) -> bool {
        let has =
            |(name, value): &(&str, &str)| self.labels.get(*name).is_some_and(|it| it == value);
        labels.iter().all(has)
    }

    fn place(&self) -> Option<(&str, &str)> {
        Some((self.labels.get("flow")?, self.labels.get("state")?))
    }
}

/// As many cells as a row has.
fn row<const N: usize>(cells: impl IntoIterator<Item = String>) -> [String; N] {
    let mut cells = cells.into_iter();
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}

/// A count, and how much of the whole it is.
fn share(count: u64, whole: u64) -> String {
    match (count * 100).checked_div(whole) {
        Some(percent) if count > 0 => format!("{count} ({percent} %)"),
        _ => count.to_string(),
    }
}

fn span(seconds: f64) -> String {
    match seconds as u64 {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds => format!("{}h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"# TYPE steadfast_dialogues_started_total counter
steadfast_dialogues_started_total{flow="photo"} 10
steadfast_dialogues_finished_total{flow="photo",outcome="completed"} 7
steadfast_dialogues_finished_total{flow="photo",outcome="timeout"} 1
steadfast_dialogues_active{flow="photo",state="caption"} 2
steadfast_state_entered_total{flow="photo",state="caption"} 9
steadfast_state_duration_seconds_bucket{flow="photo",state="caption",way="onward",le="5"} 3
steadfast_state_duration_seconds_bucket{flow="photo",state="caption",way="onward",le="180"} 7
steadfast_state_duration_seconds_bucket{flow="photo",state="caption",way="onward",le="+Inf"} 7
steadfast_state_duration_seconds_count{flow="photo",state="caption",way="onward"} 7
steadfast_state_duration_seconds_count{flow="photo",state="caption",way="away"} 0
steadfast_store_up 1
"#;

    #[test]
    fn the_funnel_shows_how_many_began_and_how_they_ended() {
        let rows = Shown::read(PAGE).funnels();
        let expected = ["photo", "10", "7 (70 %)", "0", "0", "1 (10 %)", "0"];
        assert_eq!(rows[1], expected.map(str::to_owned));
    }

    #[test]
    fn a_state_shows_who_came_who_went_on_and_how_soon() {
        let rows = Shown::read(PAGE).states();
        let expected = ["photo/caption", "2", "9", "7 (77 %)", "0", "under 3m"];
        assert_eq!(rows[1..], [expected.map(str::to_owned)]);
    }

    #[test]
    fn where_nothing_happened_there_is_no_median() {
        let quiet = Shown::read(&PAGE.replace("} 7", "} 0").replace("} 3", "} 0"));
        assert_eq!(quiet.states()[1][5], "-");
    }
}
