//! Tables for people to read.

/// A moment as seen from `now`, both in milliseconds: `5m ago`, `in 2h`.
pub(super) fn span(now: u64, at: u64) -> String {
    let seconds = now.abs_diff(at) / 1000;
    let span = match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    };
    if at > now { format!("in {span}") } else { format!("{span} ago") }
}

/// Columns as wide as their widest cell.
pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_from_now() {
        assert_eq!(span(10_000, 5_000), "5s ago");
        assert_eq!(span(0, 120_000), "in 2m");
        assert_eq!(span(7_200_000, 0), "2h ago");
        assert_eq!(span(0, 200_000_000), "in 2d");
    }

    #[test]
    fn columns_line_up() {
        let rows = [["A", "B", "C", "D"], ["long", "b", "", "d"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows), "A     B  C  D\nlong  b     d\n");
    }
}
