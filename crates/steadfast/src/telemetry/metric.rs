//! One metric: its name, meaning, labels and buckets.

use metrics::{
    Label, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

/// One metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it means.
    pub help: &'static str,
    /// Its labels with all their values. No values: they are known only while running.
    pub labels: &'static [(&'static str, &'static [&'static str])],
}

/// What a metric is.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Falls into these buckets.
    Histogram(&'static [f64]),
}

impl Metric {
    /// Says what it is and what it means.
    pub(super) fn describe(&self) {
        match self.kind {
            Kind::Counter => describe_counter!(self.name, self.help),
            Kind::Gauge => describe_gauge!(self.name, self.help),
            Kind::Histogram(_) => describe_histogram!(self.name, self.help),
        }
    }

    /// Every combination of label values.
    pub(super) fn series(&self) -> Vec<Vec<Label>> {
        self.labels.iter().fold(vec![Vec::new()], |all, (name, values)| {
            let extend = |series: &Vec<Label>| {
                let series = series.clone();
                values
                    .iter()
                    .map(move |value| [series.clone(), vec![Label::new(*name, *value)]].concat())
            };
            all.iter().flat_map(extend).collect()
        })
    }

    /// Sets this series of it to zero.
    pub(super) fn touch(&self, labels: Vec<Label>) {
        match self.kind {
            Kind::Counter => counter!(self.name, labels).increment(0),
            Kind::Gauge => gauge!(self.name, labels).increment(0.0),
            Kind::Histogram(_) => drop(histogram!(self.name, labels)),
        }
    }
}
