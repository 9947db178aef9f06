//! `TELEGRAM_LIMITS`: how fast may be sent.

use std::time::Duration;

use crate::store::{Limits, Pace};

/// How many messages to a group may go at once after a rest.
const GROUP_BURST: u32 = 4;
/// How many messages to a chat may: Telegram tolerates short bursts there.
const CHAT_BURST: u32 = 3;
/// Of so many sendings of the bot, one may be ahead of the pace: at Telegram's thirty none is, which allows the highest pace. Who may send
/// hundreds fetches several at once.
const BOT_BURST_OF: u32 = 30;
/// The most sendings of the bot at once.
const MOST_BOT_BURST: u32 = 4;
/// How much longer one message may be on its way than the next: Telegram counts when they arrive, we when they go.
const SLIP: Duration = Duration::from_millis(200);

/// Reads `global=30/s,chat=1/s,group=20/m`, any part of it, or `off`.
pub(super) fn parse(text: &str) -> Result<Limits, String> {
    let mut limits = Limits::default();
    if text == "off" {
        return Ok(limits);
    }
    for part in text.split(',') {
        let (name, rate) = part.trim().split_once('=').ok_or_else(|| wrong(part))?;
        let (count, span) = rate_of(rate).ok_or_else(|| wrong(part))?;
        match name {
            "global" => limits.bot = Some(of_bot(count, span)),
            "group" => limits.group = Some(within(count, span + SLIP, GROUP_BURST.min(count))),
            "chat" => limits.chat = Some(Pace { every: (span + SLIP) / count, burst: CHAT_BURST }),
            _ => return Err(wrong(part)),
        }
    }
    Ok(limits)
}

fn wrong(part: &str) -> String {
    format!(
        "`{part}` is no limit: expected `off`, or parts such as `global=30/s`, `chat=1/s`, `group=20/m`"
    )
}

fn rate_of(rate: &str) -> Option<(u32, Duration)> {
    let (count, unit) = rate.split_once('/')?;
    let span = match unit {
        "s" => Duration::from_secs(1),
        "m" => Duration::from_secs(60),
        _ => return None,
    };
    count.parse().ok().filter(|count| *count > 0).map(|count| (count, span))
}

fn of_bot(count: u32, span: Duration) -> Pace {
    let burst = (count / BOT_BURST_OF).clamp(1, MOST_BOT_BURST);
    within(count, span + SLIP, burst)
}

/// A pace at which never more than `count` go within any `span`, bursts included.
fn within(count: u32, span: Duration, burst: u32) -> Pace {
    Pace { every: span / (count - burst + 1), burst }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_telegrams_own() {
        let limits = parse("global=30/s,chat=1/s,group=20/m").unwrap();
        assert_eq!(limits.chat, Some(Pace { every: Duration::from_millis(1200), burst: 3 }));
        assert_eq!(limits.bot, Some(Pace { every: Duration::from_millis(1200) / 30, burst: 1 }));
        assert_eq!(
            limits.group,
            Some(Pace { every: Duration::from_millis(60_200) / 17, burst: 4 })
        );
    }

    /// A burst, and what follows it at the pace, for any limit.
    #[test]
    fn never_more_than_the_limit_go_within_its_span() {
        for count in [1_u32, 2, 29, 30, 31, 60, 100, 1000] {
            let pace = parse(&format!("global={count}/s")).unwrap().bot.unwrap();
            let after_burst = Duration::from_secs(1).as_nanos() / pace.every.as_nanos();
            let most = u128::from(pace.burst) + after_burst;
            assert!(most <= u128::from(count), "{count}: {most}");
            let is_close = most * 100 >= u128::from(count) * 83;
            assert!(is_close || count < 30, "{count}: {most}");
        }
    }

    #[test]
    fn limits_can_be_off_or_partial_and_mistakes_are_named() {
        assert_eq!(parse("off"), Ok(Limits::default()));
        assert!(parse("chat=2/s").unwrap().bot.is_none());
        for wrong in ["", "30", "global=30", "global=0/s", "global=3/h", "user=1/s"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
