//! How fast messages go, what is known of their destination, and how many wait: what the scripts are told, and how to read
//! what they answer.

use std::time::Duration;

use super::Redis;
use super::connection::Ask;
use super::script::{BACKLOG, BLOCK, GRANT, HOLD, millis};
use crate::pace::{Micros, micros};
use crate::{Backlog, DialogueKey, Error, Grant, Lane, LaneKind, Millis, Pace, Refused, Result};

/// What `backlog.lua` answers: lanes, those of broadcasts, dead letters, those that made room, the oldest lane of each kind,
/// and effects.
type BacklogAnswer = (u64, u64, u64, u64, Vec<Option<Millis>>, u64);

impl Redis {
    /// What the messages of a lane obey, as `pace.lua` reads it; nothing where nothing is sent.
    pub(super) fn limits(&self, lane: Lane) -> Vec<u8> {
        if !lane.kind.is_sent() {
            return Vec::new();
        }
        let paces = self.config.limits.of(lane.chat);
        let pack = |pace: Option<_>| pace.map_or([0, 0], |pace| numbers(&pace));
        let numbers = paces.into_iter().flat_map(pack);
        numbers.flat_map(u64::to_be_bytes).collect()
    }

    /// Takes sendings out of the limit of the whole bot.
    pub(super) async fn take_grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        let limit = self.config.limits.bot;
        let [every, lead] = limit.map_or([0, 0], |pace| numbers(&pace));
        let call = self.call(&GRANT, &[&self.keys.pace()]);
        let call = call.arg(want).arg(every).arg(lead).arg(kind.name());
        let (granted, wait, is_frozen): (u32, Micros, bool) = self.ask(call).await?;
        Ok(match granted {
            0 if is_frozen => Grant::frozen(Duration::from_micros(wait)),
            0 => Grant::none(Duration::from_micros(wait)),
            _ => limit.map_or_else(|| Grant::open(granted), |pace| pace.granted(granted, wait)),
        })
    }

    /// Puts off what is to be sent to a chat.
    pub(super) async fn put_off(&self, chat: i64, time: Duration) -> Result<()> {
        let kind = LaneKind::Messages;
        let limits = self.limits(Lane { kind, chat });
        let call = self.call(&HOLD, &[&self.keys.pacing(chat)]);
        let _: redis::Value = self.ask(call.arg(limits).arg(micros(time))).await?;
        Ok(())
    }

    /// Notes that messages do not reach a chat, unless the person wrote since.
    pub(super) async fn note_block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        let home = DialogueKey { chat, user: chat, topic: None };
        let (blocked, record) = (&self.keys.of_chat(chat).blocked, self.keys.record(&home));
        let call = self.call(&BLOCK, &[blocked, &record]).arg(chat);
        let call = match refused {
            None => call,
            Some(refused) => {
                // As it stands in the marks.
                let update = refused.update.map(u32::to_le_bytes);
                call.arg(millis(refused.ago)).arg(update.as_ref().map_or(&[][..], |id| &id[..]))
            }
        };
        self.ask(call).await
    }

    /// The message of a name.
    pub(super) async fn noted(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("TIME");
        pipeline.cmd("GET").arg(self.keys.note(chat, name));
        let ((seconds, micros), note): ((u64, u64), Option<Vec<u8>>) =
            self.connection.ask(Ask::Cmds(&pipeline)).await?;
        let now = self.moved(seconds * 1000 + micros / 1000);
        let note = note.map(|note| unpacked_note(&note)).transpose()?;
        Ok(note.filter(|(until, _)| *until > now).map(|(_, id)| id))
    }

    /// Over all partitions, in one trip.
    pub(super) async fn count_backlog(&self) -> Result<Backlog> {
        let calls = self.keys.partitions().map(|keys| {
            let call = self.call(&BACKLOG, &[&keys.lanes, &keys.dead, &keys.dropped]);
            LaneKind::ALL.into_iter().fold(call, |call, kind| call.arg(kind.name()))
        });
        let answers: Vec<BacklogAnswer> = self.ask_all(calls.collect()).await?;
        let mut backlog = Backlog::default();
        for (lanes, bulk, dead, dropped, oldest, effects) in answers {
            backlog.lanes += lanes;
            backlog.effects += effects;
            backlog.bulk += bulk;
            backlog.dead += dead;
            backlog.dropped += dropped;
            for (kind, age) in LaneKind::ALL.into_iter().zip(oldest) {
                backlog.saw(kind, age.map(Duration::from_millis));
            }
        }
        Ok(backlog)
    }
}

/// Which of the two lanes of messages to a chat this is, as `pace.lua` counts them.
pub(super) fn place(lane: Lane) -> u8 {
    match lane.kind {
        LaneKind::Messages | LaneKind::Jobs | LaneKind::Aside => 1,
        LaneKind::Bulk => 2,
    }
}

fn numbers(pace: &Pace) -> [Micros; 2] {
    [pace.every(), pace.slack()]
}

/// When a note is forgotten, and the message it names.
fn unpacked_note(bytes: &[u8]) -> Result<(Millis, i64)> {
    let read = || {
        let (until, id) = bytes.split_first_chunk()?;
        let id = std::str::from_utf8(id).ok()?.parse().ok()?;
        Some((Millis::from_be_bytes(*until), id))
    };
    read().ok_or_else(|| Error::Corrupt("the note of a message is not in a known format".into()))
}
