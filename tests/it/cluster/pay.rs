//! The pay of a shift, as people are told it and as the books hold it. Pure, so that it can be shown to fail.

/// The pay of a shift.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pay {
    /// When it began and ended, as people read it.
    pub(super) span: (String, String),
    /// What each part is for, and how much it is, in minor units.
    pub(super) parts: Vec<(String, i64)>,
    pub(super) total: i64,
}

impl Pay {
    /// What a message tells: a head, when it began and ended, the parts, the sum of them.
    pub(super) fn told(message: &str) -> Option<Self> {
        let (head, total) = message.split_once("\n\n<b>Total: ")?;
        let (total, _) = total.split_once("</b>")?;
        let (head, parts) = head.split_once("\n\n")?;
        let (_, span) = head.split_once('\n')?;
        let (from, until) = span.split_once(" – ")?;
        let part = |line: &str| {
            let (what, sum) = line.rsplit_once(": ")?;
            Some((what.to_owned(), amount(sum)?))
        };
        Some(Self {
            span: (from.to_owned(), until.to_owned()),
            parts: parts.lines().map(part).collect::<Option<_>>()?,
            total: amount(total)?,
        })
    }

    /// What is told of it under the head of a message.
    pub(super) fn words(&self) -> String {
        let (from, until) = &self.span;
        let lines = self.parts.iter().map(|(what, sum)| {
            let is_bonus = *sum > 0 && !what.starts_with(TIME);
            let sign = if is_bonus { "+" } else { "" };
            format!("{what}: {sign}{}", money(*sum))
        });
        let lines: Vec<String> = lines.collect();
        let (lines, total) = (lines.join("\n"), money(self.total));
        format!("{from} – {until}\n\n{lines}\n\n<b>Total: {total}</b>")
    }
}

/// What the time is called in the pay, at this rate.
pub(super) fn time_at(rate: i64) -> String {
    format!("{TIME}{} an hour", money(rate))
}

/// An amount in minor units, as people read it.
pub(super) fn money(amount: i64) -> String {
    let (whole, rest) = (amount.unsigned_abs() / 100, amount.unsigned_abs() % 100);
    let digits = whole.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(ascii).collect();
    let sign = if amount < 0 { "−" } else { "" };
    format!("{sign}{}.{rest:02}\u{a0}₽", groups.join(","))
}

/// What the time is called in the pay, before the rate.
const TIME: &str = "Time, at ";

/// Reads such an amount, or one with a plus before it.
fn amount(words: &str) -> Option<i64> {
    let digits: String = words.chars().filter(char::is_ascii_digit).collect();
    let amount: i64 = digits.parse().ok()?;
    let amount = if words.starts_with('−') { -amount } else { amount };
    (words.trim_start_matches('+') == money(amount)).then_some(amount)
}

fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "✅ The shift is closed. <b>Depot</b>\n3 May 2026, 10:59 – 3 May 2026, 11:00\n\n\
        Time, at 360,000.00\u{a0}₽ an hour: 1,234.56\u{a0}₽\nLate start: −100.00\u{a0}₽\n\
        Sweep: +100.00\u{a0}₽\nLock up, done: 0.00\u{a0}₽\n\n<b>Total: 1,234.56\u{a0}₽</b>";

    #[test]
    fn what_is_told_is_read_and_written_alike() {
        let pay = Pay::told(TOLD).expect("a pay");
        let part = |what: &str, sum: i64| (what.to_owned(), sum);
        let span = ("3 May 2026, 10:59".to_owned(), "3 May 2026, 11:00".to_owned());
        let parts = vec![
            (time_at(36_000_000), 123_456),
            part("Late start", -10_000),
            part("Sweep", 10_000),
            part("Lock up, done", 0),
        ];
        let total = 123_456;
        assert_eq!(pay, Pay { span, parts, total });
        let words = format!("✅ The shift is closed. <b>Depot</b>\n{}", pay.words());
        assert_eq!(words, TOLD);
    }

    #[test]
    fn what_is_no_pay_is_not_read() {
        for odd in [
            "",
            "Shall I close the shift?",
            &TOLD.replace("Sweep: ", "Sweep "),
            &TOLD.replace("−100.00\u{a0}₽", "much"),
            &TOLD.replace("1,234.56", "1234.56"),
        ] {
            assert_eq!(Pay::told(odd), None, "{odd}");
        }
    }
}
