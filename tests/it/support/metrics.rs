//! What `/metrics` shows, read back.

use std::collections::BTreeMap;

/// Every series with its value.
#[derive(Debug, Clone)]
pub(crate) struct Metrics(BTreeMap<String, f64>);

impl Metrics {
    /// Reads the text format.
    pub(crate) fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let series = lines.filter_map(|line| {
            let (series, value) = line.rsplit_once(' ')?;
            Some((series.to_owned(), value.parse().ok()?))
        });
        Self(series.collect())
    }

    /// The sum of all series of this name whose labels include these, such as `state="caption"`.
    pub(crate) fn sum(&self, name: &str, labels: &[&str]) -> f64 {
        let of_name = |series: &str| {
            let rest = series.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('{'))
        };
        let fits = |series: &str| labels.iter().all(|label| series.contains(label));
        let found = self.0.iter();
        found.filter(|(series, _)| of_name(series) && fits(series)).map(|(_, value)| value).sum()
    }

    /// The labels of every series of this name that has counted something.
    pub(crate) fn counted(&self, name: &str) -> impl Iterator<Item = BTreeMap<&str, &str>> {
        let counted = self.0.iter().filter(|(_, value)| **value > 0.0);
        counted.filter_map(move |(series, _)| {
            let labels = series.strip_prefix(name)?.strip_prefix('{')?;
            let labels = labels.strip_suffix("\"}")?.split("\",");
            Some(labels.filter_map(|label| label.split_once("=\"")).collect())
        })
    }

    /// Whether there is a series of this name whose labels include these.
    pub(crate) fn shows(&self, name: &str, labels: &[&str]) -> bool {
        let fits = |series: &String| {
            series.split('{').next() == Some(name)
                && labels.iter().all(|label| series.contains(label))
        };
        self.0.keys().any(fits)
    }

    /// Whether there is a series of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.keys().any(|series| series.split('{').next() == Some(name))
    }
}
