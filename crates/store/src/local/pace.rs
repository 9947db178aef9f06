//! How long to wait before a sending.
//!
//! A chat has one entry while its pace is ahead of the time: where the sendings end that were reserved, and when the head
//! of each of its two lanes of messages may go. After that a whole burst is free, and the entry goes.

use std::time::Duration;

use super::codec::{Reader, Writer};
use super::{Desk, keys};
use crate::commit::count;
use crate::pace::{Micros, micros};
use crate::{Grant, Lane, LaneKind, Pace, REPLIES_FIRST, Result};

/// The pace of a chat.
#[derive(Debug, Default)]
struct Pacing {
    /// Where the sendings end by the limit of chats, and by that of groups; where a limit is none, with what the chat was told to
    /// wait.
    ends: [Micros; 2],
    /// The head of the messages, and that of the broadcasts.
    heads: [Reserved; 2],
    /// When it was written; an older build does not say.
    written: Micros,
}

/// A sending that has its time.
#[derive(Debug, Clone, Default)]
struct Reserved {
    id: String,
    at: Micros,
}

/// The pace of the whole bot.
#[derive(Debug, Default)]
struct BotPacing {
    /// Where its sendings end.
    end: Micros,
    /// When the freeze is over.
    frozen: Micros,
    /// Until when replies wait for one: broadcasts are granted none.
    replies: Micros,
    /// When it was written; an older build does not say.
    written: Micros,
}

impl Desk<'_> {
    /// Reserves the sending of a lane's head, once, and answers how long it has to wait.
    pub(super) fn reserve(&mut self, lane: Lane, id: &str) -> Result<Duration> {
        let paces = self.limits.of(lane.chat);
        let Some(place) = place(lane.kind) else {
            return Ok(Duration::ZERO);
        };
        let old = self.pacing(lane.chat)?;
        let mut pacing = old.ahead_of(self.micros());
        // Without a limit there is nothing to obey but what the chat was told.
        if paces == [None, None] && pacing.end() == 0 {
            return Ok(Duration::ZERO);
        }
        if pacing.heads[place].id != id {
            let at = pacing.reserve(paces, self.micros(), count(id));
            pacing.heads[place] = Reserved { id: id.into(), at };
            self.keep_pacing(lane.chat, &old, &pacing)?;
        }
        let wait = pacing.heads[place].at.saturating_sub(self.micros());
        Ok(Duration::from_micros(wait))
    }

    /// Counts the sending of a lane's head, which is over, from now on.
    pub(super) fn count_sent(&mut self, lane: Lane, id: &str) -> Result<()> {
        let paces = self.limits.of(lane.chat);
        let Some(place) = place(lane.kind).filter(|_| paces != [None, None]) else {
            return Ok(());
        };
        let old = self.pacing(lane.chat)?;
        let mut pacing = old.ahead_of(self.micros());
        if pacing.count_sent(paces, self.micros(), place, id) {
            self.keep_pacing(lane.chat, &old, &pacing)?;
        }
        Ok(())
    }

    /// See [`Store::grant`](crate::Store::grant).
    pub(super) fn grant(&mut self, kind: LaneKind, want: u32) -> Result<Grant> {
        let (now, mut bot) = (self.micros(), self.bot_pacing()?);
        if bot.frozen > now {
            let wait = Duration::from_micros(bot.frozen - now);
            return Ok(Grant::frozen(wait));
        }
        let Some(pace) = self.limits.bot else {
            return Ok(Grant::open(want));
        };
        if kind == LaneKind::Bulk && bot.replies > now {
            return Ok(Grant::none(Duration::from_micros(bot.replies - now)));
        }
        let (grant, end) = pace.grant(bot.end, now, want);
        bot.end = end;
        let waits = grant.granted < want || !grant.wait.is_zero();
        if kind == LaneKind::Messages && waits {
            bot.replies = pace.free_at(end, 1).max(now) + micros(REPLIES_FIRST);
        }
        self.keep_bot_pacing(&bot)?;
        Ok(grant)
    }

    /// See [`Store::freeze`](crate::Store::freeze).
    pub(super) fn freeze(&mut self, time: Duration) -> Result<()> {
        let mut bot = self.bot_pacing()?;
        bot.frozen = bot.frozen.max(self.micros().saturating_add(micros(time)));
        self.keep_bot_pacing(&bot)
    }

    /// See [`Store::hold`](crate::Store::hold).
    pub(super) fn hold(&mut self, chat: i64, time: Duration) -> Result<()> {
        let paces = self.limits.of(chat);
        let old = self.pacing(chat)?;
        let mut pacing = old.ahead_of(self.micros());
        pacing.hold(paces, self.micros().saturating_add(micros(time)));
        self.keep_pacing(chat, &old, &pacing)
    }

    /// The moment.
    fn micros(&self) -> Micros {
        self.now.saturating_mul(1000)
    }

    /// The pace of a chat. Where the clock was set back, it goes with it.
    fn pacing(&mut self, chat: i64) -> Result<Pacing> {
        let kept = self.kept_pacing(chat)?;
        let back = kept.written.saturating_sub(self.micros());
        if back == 0 {
            return Ok(kept);
        }
        let moved = kept.moved_back(back);
        self.keep_pacing(chat, &kept, &moved)?;
        Ok(moved)
    }

    fn kept_pacing(&self, chat: i64) -> Result<Pacing> {
        let Some(value) = self.shelf.get(&keys::pacing(chat))? else {
            return Ok(Pacing::default());
        };
        let mut reader = Reader::new(value);
        let ends = [reader.u64()?, reader.u64()?];
        let mut reserved = || -> Result<Reserved> {
            let (at, id) = (reader.u64()?, reader.text()?);
            Ok(Reserved { id, at })
        };
        let heads = [reserved()?, reserved()?];
        let written = match reader.is_at_end() {
            true => 0,
            false => reader.u64()?,
        };
        Ok(Pacing { ends, heads, written })
    }

    fn keep_pacing(&mut self, chat: i64, old: &Pacing, new: &Pacing) -> Result<()> {
        let key = keys::pacing(chat);
        let expiry = |at: Micros| keys::expiry(at.div_ceil(1000), &key);
        let was = (old.end() > 0).then(|| expiry(old.end()));
        self.shift(was, Some(expiry(new.end())))?;
        let writer = Writer::default().u64(new.ends[0]).u64(new.ends[1]);
        let heads = new.heads.iter();
        let writer =
            heads.fold(writer, |writer, head| writer.u64(head.at).bytes(head.id.as_bytes()));
        let writer = writer.u64(self.micros());
        self.shelf.put(&key, &writer.finish())
    }

    /// The pace of the bot. Where the clock was set back, it goes with it.
    fn bot_pacing(&mut self) -> Result<BotPacing> {
        let mut bot = self.kept_bot_pacing()?;
        let back = bot.written.saturating_sub(self.micros());
        if back > 0 {
            for time in [&mut bot.end, &mut bot.frozen, &mut bot.replies] {
                *time = time.saturating_sub(back);
            }
            self.keep_bot_pacing(&bot)?;
        }
        Ok(bot)
    }

    fn kept_bot_pacing(&self) -> Result<BotPacing> {
        let Some(value) = self.shelf.get(&keys::bot_pacing())? else {
            return Ok(BotPacing::default());
        };
        let mut reader = Reader::new(value);
        let (end, frozen) = (reader.u64()?, reader.u64()?);
        // Older builds kept no more than these, or one more.
        let mut more = || match reader.is_at_end() {
            true => Ok(0),
            false => reader.u64(),
        };
        Ok(BotPacing { end, frozen, replies: more()?, written: more()? })
    }

    fn keep_bot_pacing(&mut self, bot: &BotPacing) -> Result<()> {
        let value = Writer::default().u64(bot.end).u64(bot.frozen);
        let value = value.u64(bot.replies).u64(self.micros()).finish();
        self.shelf.put(&keys::bot_pacing(), &value)
    }
}

impl Pacing {
    /// Where all sendings end.
    fn end(&self) -> Micros {
        self.ends[0].max(self.ends[1])
    }

    /// What of it still counts.
    fn ahead_of(&self, now: Micros) -> Self {
        if self.end() <= now {
            return Self::default();
        }
        let heads = self.heads.clone();
        Self { heads, ..*self }
    }

    /// The same by a clock that was set back so far.
    fn moved_back(&self, by: Micros) -> Self {
        let head =
            |head: &Reserved| Reserved { id: head.id.clone(), at: head.at.saturating_sub(by) };
        Self {
            ends: self.ends.map(|end| end.saturating_sub(by)),
            heads: self.heads.each_ref().map(head),
            ..*self
        }
    }

    /// Reserves the first time at which so many are free at once by all limits, or all that ever are.
    fn reserve(&mut self, paces: [Option<Pace>; 2], now: Micros, count: u32) -> Micros {
        let free = self.ends.into_iter().zip(paces);
        let free = free.map(|(end, pace)| pace.map_or(end, |pace| pace.free_at(end, count)));
        let at = free.fold(now, Micros::max);
        for (end, pace) in self.ends.iter_mut().zip(paces) {
            *end = pace.map_or(*end, |pace| pace.after(*end, at, count));
        }
        at
    }

    /// Counts a sending from now on, and answers whether that changes anything: it may have waited since its time came, as may the
    /// head of the other lane, whose time is forgotten then, so that it is counted anew.
    fn count_sent(
        &mut self,
        paces: [Option<Pace>; 2],
        now: Micros,
        place: usize,
        id: &str,
    ) -> bool {
        let (is_reserved, mut is_changed) = (self.heads[place].id == id, false);
        for (end, pace) in self.ends.iter_mut().zip(paces) {
            let before = if is_reserved { now } else { *end };
            let counted = pace.map_or(*end, |pace| pace.after(before, now, count(id)));
            is_changed |= counted > *end;
            *end = counted.max(*end);
        }
        if is_changed {
            self.heads[1 - place] = Reserved::default();
        }
        is_changed
    }

    /// Puts everything off until then.
    fn hold(&mut self, paces: [Option<Pace>; 2], until: Micros) {
        for head in &mut self.heads {
            head.at = head.at.max(until);
        }
        for (end, pace) in self.ends.iter_mut().zip(paces) {
            let slack = pace.map_or(0, Pace::slack);
            *end = until.saturating_add(slack).max(*end);
        }
    }
}

/// Which of the two lanes of messages to a chat this is; none where nothing is sent.
fn place(kind: LaneKind) -> Option<usize> {
    match kind {
        LaneKind::Messages => Some(0),
        LaneKind::Bulk => Some(1),
        LaneKind::Jobs | LaneKind::Aside => None,
    }
}
