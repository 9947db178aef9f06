//! Lanes: what their scripts are told, and how to read what they answer.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};

use super::Redis;
use super::keys::{Partition, named_dialogue};
use super::pace::place;
use super::script::{Call, DONE, DROP, DUE, HEAD, PUSH, RENEW, Script, WAITING};
use crate::pace::Micros;
use crate::{
    After, Due, Error, Head, Item, Lane, LaneKind, Millis, Note, Pushed, Result, Token, partition,
};

/// What `due.lua` answers: the time, dialogues with their due times, lanes, commits, those of the lanes that somebody held.
type DueAnswer = (Millis, Vec<(String, Millis)>, Vec<String>, u64, Vec<String>);

/// What a sweep takes of a partition at most, whatever was asked for: Redis does nothing else meanwhile.
const SWEEP_MOST: usize = 10_000;

/// What is kept when an item is taken off.
pub(super) enum With<'a> {
    Nothing,
    Letter(&'a Bytes),
    Note(&'a Note),
}

impl Redis {
    /// All partitions in one trip; a second one only where lanes were claimed, and the first time, which only reads the clocks.
    pub(super) async fn sweep(
        &self,
        token: Token,
        limit: usize,
        hold: Option<Millis>,
    ) -> Result<Due> {
        if !self.knows_the_clocks() {
            self.ask_for_due(token, limit, hold).await?;
        }
        let answers = self.ask_for_due(token, limit, hold).await?;
        let (mut due, mut claimed) = (Due::default(), Vec::new());
        for (now, timers, lanes, sequence, lapsed) in answers {
            due.now = now;
            due.sequence += sequence;
            let timers = timers.into_iter();
            due.timers
                .extend(timers.filter_map(|(name, at)| Some((known(named_dialogue(&name))?, at))));
            let lanes = lanes.iter();
            claimed.extend(
                lanes.filter_map(|name| known(name.parse::<Lane>().map_err(Error::Corrupt))),
            );
            let lapsed = lapsed.iter();
            due.lapsed.extend(lapsed.filter_map(|name| name.parse::<Lane>().ok()));
        }
        due.lanes = self.heads(token, &claimed).await?;
        Ok(due)
    }

    /// Asks each partition, and takes note of its clock.
    async fn ask_for_due(
        &self,
        token: Token,
        limit: usize,
        hold: Option<Millis>,
    ) -> Result<Vec<DueAnswer>> {
        let asked = Instant::now();
        let calls = self.keys.partitions().enumerate().map(|(at, keys)| {
            let call = self.due_call(keys, token, limit, hold);
            call.arg(self.awaited_until(at, asked))
        });
        let answers: Vec<DueAnswer> = self.ask_all(calls.collect()).await?;
        self.set_clocks(&answers, asked);
        Ok(answers)
    }

    fn knows_the_clocks(&self) -> bool {
        let clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        !clocks.is_empty()
    }

    /// Until when somebody waits for the answer to what is asked now, by the clock of that partition's server. Nobody knows that clock
    /// before its first answer: until then no lane is taken.
    fn awaited_until(&self, partition: usize, asked: Instant) -> Millis {
        let clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((time, at)) = clocks.get(partition) else {
            return 0;
        };
        // The heads of the lanes are asked for within the same time.
        let waits = self.config.call_timeout / 2;
        let passed = asked.saturating_duration_since(*at) + waits;
        time + passed.as_millis() as Millis
    }

    /// Takes note of what the clocks of the servers show, that of each partition.
    fn set_clocks(&self, answers: &[DueAnswer], asked: Instant) {
        let offset = self.config.clock_offset.load(Ordering::Relaxed);
        let read = |(now, ..): &DueAnswer| (now.saturating_add_signed(-offset), asked);
        let clocks = answers.iter().map(read).collect();
        *self.clocks.lock().unwrap_or_else(PoisonError::into_inner) = clocks;
    }

    fn due_call(&self, keys: &Partition, token: Token, limit: usize, hold: Option<Millis>) -> Call {
        self.call(&DUE, &[&keys.timers, &keys.claims, &keys.lanes, &keys.sequence, &keys.clock])
            .packed(token.0)
            .arg(limit.min(SWEEP_MOST))
            .arg(hold.map_or_else(String::new, |hold| hold.to_string()))
    }

    /// The first item of each of these lanes, of those that have one.
    async fn heads(&self, token: Token, lanes: &[Lane]) -> Result<Vec<(Lane, Head)>> {
        let calls = lanes.iter().map(|&lane| {
            self.call(&HEAD, &[&self.keys.of_chat(lane.chat).lanes])
                .arg(lane.to_string())
                .packed(token.0)
                .arg(self.limits(lane))
                .arg(lane.chat)
                .arg(place(lane))
        });
        let heads: Vec<Option<(Vec<u8>, Micros)>> = self.ask_all(calls.collect()).await?;
        let found = lanes.iter().zip(heads);
        let found = found.filter_map(|(lane, head)| Some((*lane, head?)));
        found.map(|(lane, (item, wait))| Ok((lane, head(&item.into(), wait)?))).collect()
    }

    /// Takes an item off, and keeps what goes with that.
    pub(super) async fn take_off(
        &self,
        lane: Lane,
        token: Token,
        id: &str,
        with: With<'_>,
    ) -> Result<After> {
        let call = self.done_call(lane, &with).arg(lane.to_string());
        let call = call.packed(token.0).arg(format!("{id}\n"));
        let call = call.arg(self.limits(lane)).arg(lane.chat).arg(place(lane));
        let call = match with {
            With::Nothing => call,
            With::Letter(letter) => call.arg(&letter[..]),
            With::Note(note) => call.arg(note.message),
        };
        let answer: Option<Vec<u8>> = self.ask(call).await?;
        let Some(mut next) = answer.map(Bytes::from) else {
            return Ok(After::Stale);
        };
        match next.try_get_u64() {
            Ok(wait) => head(&next, wait).map(After::Next),
            Err(_) => Ok(After::Empty),
        }
    }

    fn done_call(&self, lane: Lane, with: &With<'_>) -> Call {
        let lanes = &self.keys.of_chat(lane.chat).lanes;
        match with {
            With::Note(note) => {
                let note = self.keys.note(lane.chat, &note.name);
                self.call(&DONE, &[lanes, &note])
            }
            With::Nothing | With::Letter(_) => self.call(&DONE, &[lanes]),
        }
    }

    /// One trip, a script per partition; the lost ones in the order they were given.
    pub(super) async fn prolong(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        let mut places: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        for (place, (lane, _)) in held.iter().enumerate() {
            places.entry(partition(lane.chat)).or_default().push(place);
        }
        let calls = places.iter().map(|(&partition, places)| {
            let held = places.iter().map(|&place| held[place]);
            self.renew_call(self.keys.partition(partition), held)
        });
        let answers: Vec<Vec<bool>> = self.ask_all(calls.collect()).await?;
        let answers = answers.into_iter().flatten();
        let lost = places.into_values().flatten().zip(answers);
        let mut lost: Vec<usize> = lost.filter(|(_, held)| !held).map(|(at, _)| at).collect();
        lost.sort_unstable();
        Ok(lost.into_iter().map(|place| held[place].0).collect())
    }

    fn renew_call(&self, keys: &Partition, held: impl Iterator<Item = (Lane, Token)>) -> Call {
        let call = self.call(&RENEW, &[&keys.claims, &keys.lanes]);
        held.fold(call, |call, (lane, token)| call.arg(lane.to_string()).packed(token.0))
    }

    /// Hands an item over, once.
    pub(super) async fn hand_over(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        let call = self
            .call(&PUSH, &[&self.keys.of_chat(lane.chat).lanes])
            .arg(lane.to_string())
            .packed(token.0)
            .arg(format!("{lane}\n{}", item.name()))
            .arg(packed_item(item))
            .arg(self.limits(lane))
            .arg(lane.chat)
            .arg(place(lane));
        let (outcome, wait): (u8, Micros) = self.ask(call).await?;
        let wait = Duration::from_micros(wait);
        match outcome {
            0 => Ok(Pushed::Queued),
            1 => Ok(Pushed::Leased { wait }),
            2 => Ok(Pushed::Blocked),
            other => Err(Error::Corrupt(format!("push.lua answered {other}"))),
        }
    }

    /// The first items of each lane of a chat that has any, as they stand at one moment.
    pub(super) async fn lined_up(
        &self,
        chat: i64,
        limit: usize,
    ) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        let lanes = LaneKind::ALL.map(|kind| Lane { kind, chat });
        let call = self.call_of_lanes(&WAITING, &[], &lanes);
        let call = named(call.arg(limit.clamp(1, SWEEP_MOST)), &lanes);
        let items: Vec<Vec<Vec<u8>>> = self.ask(call).await?;
        let lanes = LaneKind::ALL.into_iter().zip(items);
        lanes
            .filter(|(_, items)| !items.is_empty())
            .map(|(kind, items)| {
                let items = items.into_iter().take(limit).map(Bytes::from);
                let items = items.map(|item| unpacked_item(&item));
                Ok((kind, items.collect::<Result<_>>()?))
            })
            .collect()
    }

    /// Takes out what waits to be sent to a chat.
    pub(super) async fn drop_sent(&self, chat: i64) -> Result<u64> {
        let kinds = LaneKind::ALL.into_iter().filter(|kind| kind.is_sent());
        let lanes: Vec<Lane> = kinds.map(|kind| Lane { kind, chat }).collect();
        let claims = &self.keys.of_chat(chat).claims;
        self.ask(named(self.call_of_lanes(&DROP, &[claims], &lanes), &lanes)).await
    }

    /// A call with these keys, the lanes of the partition, and the list of each of these, which are of one chat.
    fn call_of_lanes(&self, script: &'static Script, keys: &[&str], lanes: &[Lane]) -> Call {
        let lists: Vec<String> = lanes.iter().map(|lane| self.keys.behind(*lane)).collect();
        let chat = lanes.first().map_or(0, |lane| lane.chat);
        let mut names = keys.to_vec();
        names.push(&self.keys.of_chat(chat).lanes);
        names.extend(lists.iter().map(String::as_str));
        self.call(script, &names)
    }
}

/// With the name of each lane.
fn named(call: Call, lanes: &[Lane]) -> Call {
    lanes.iter().fold(call, |call, lane| call.arg(lane.to_string()))
}

/// What this build can read of what is due. The rest is another build's, and must not hold up all that is due.
fn known<T>(read: Result<T>) -> Option<T> {
    read.inspect_err(
        |error| tracing::warn!(%error, "something is due that this build does not know"),
    )
    .ok()
}

/// An item as it lies in a lane.
pub(super) fn packed_item(item: &Item) -> Vec<u8> {
    [item.id.as_bytes(), b"\n", &item.body].concat()
}

fn head(bytes: &Bytes, wait: Micros) -> Result<Head> {
    let wait = Duration::from_micros(wait);
    let item = unpacked_item(bytes)?;
    Ok(Head { item, wait })
}

fn unpacked_item(bytes: &Bytes) -> Result<Item> {
    let unreadable = || Error::Corrupt("an item in a lane has no id".into());
    let at = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(unreadable)?;
    let id = std::str::from_utf8(&bytes[..at]).map_err(|_| unreadable())?.to_owned();
    let body = bytes.slice(at + 1..);
    Ok(Item { id, body })
}
