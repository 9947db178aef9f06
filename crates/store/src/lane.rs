//! Where effects wait to be carried out.

use std::fmt;
use std::str::FromStr;

/// Effects of one destination, worked in order by one holder at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// What is in it.
    pub kind: LaneKind,
    /// Whose it is.
    pub chat: i64,
}

/// What a lane holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LaneKind {
    /// Messages to the chat.
    Messages,
    /// Records and hand-overs that originate in the chat.
    Jobs,
    /// Broadcasts to the chat.
    Bulk,
    /// Records that originate in the chat and that nothing waits for.
    Aside,
}

impl LaneKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Messages, Self::Jobs, Self::Bulk, Self::Aside];

    /// What each is called in metrics, in the same order.
    pub const WORDS: [&'static str; 4] = ["replies", "records", "broadcasts", "aside"];

    /// The name in keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "lane",
            Self::Jobs => "rec",
            Self::Bulk => "bulk",
            Self::Aside => "aside",
        }
    }

    /// Whether what it holds is sent to the chat: at a pace, and not while the chat is blocked.
    pub fn is_sent(self) -> bool {
        match self {
            Self::Messages | Self::Bulk => true,
            Self::Jobs | Self::Aside => false,
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.chat)
    }
}

impl FromStr for Lane {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bad = || format!("`{text}` is not a lane");
        let (name, chat) = text.split_once(':').ok_or_else(bad)?;
        let kind = LaneKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(bad)?;
        Ok(Self { kind, chat: chat.parse().map_err(|_| bad())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_read_back_as_written() {
        let lane = Lane { kind: LaneKind::Jobs, chat: -5 };
        assert_eq!(lane.to_string().parse(), Ok(lane));
        assert!("other:5".parse::<Lane>().is_err());
    }
}
