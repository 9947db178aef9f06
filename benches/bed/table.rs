//! Figures in columns.

use hdrhistogram::Histogram;

/// Prints rows under a header, each column as wide as it must be.
pub fn print(header: &[&str], rows: &[Vec<String>]) {
    let cell =
        |row: &[String], column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let widths: Vec<_> = (header.iter().enumerate())
        .map(|(column, name)| {
            let widest = rows.iter().map(|row| cell(row, column)).max();
            widest.unwrap_or(0).max(name.chars().count())
        })
        .collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate();
        let padded = padded.map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        println!("| {} |", padded.collect::<Vec<_>>().join(" | "));
    };
    line(&header.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    line(&widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
}

/// The middle one, or the mean of the two in the middle.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
    f64::midpoint(values[low], values[high])
}

/// Median, 95th, 99th percentile and maximum, in milliseconds.
pub fn percentiles(micros: &Histogram<u64>) -> String {
    let at = |quantile| micros.value_at_quantile(quantile) as f64 / 1000.0;
    format!("{:.1} / {:.1} / {:.1} / {:.0}", at(0.5), at(0.95), at(0.99), at(1.0))
}
