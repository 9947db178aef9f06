//! What a step becomes in the store: the record, and its effects in their lanes.

use bytes::Bytes;

use super::sitting::Sitting;
use crate::dialogue::{BLANK, Dialogue, Effect, Input, Played, Record};
use crate::records::Records;
use crate::store::{Clock, Commit, Item, Millis, Next, SEEN_FOR};
use crate::turn::Event;

impl Sitting {
    /// The step, ready for the store.
    pub(super) fn commit(&self, played: &mut Played, dead: Option<Bytes>) -> Commit {
        self.stamp(&mut played.effects);
        let (messages, jobs) = self.effects(&played.effects);
        let settled = self.incoming.settles.as_ref();
        Commit {
            turn: self.turn,
            cause: self.incoming.cause,
            expected: self.snapshot.version,
            loaded_at: self.snapshot.now,
            next: self.next(&played.dialogue),
            messages,
            jobs,
            dead: dead.or_else(|| settled?.letter.clone()),
            settles: settled.map(|settled| settled.jobs.clone()),
        }
    }

    /// What the record becomes. Where a dialogue moved away from nothing is kept but the way.
    fn next(&self, dialogue: &Dialogue) -> Next {
        match self.seal() {
            Some(seal) => seal.next(self.snapshot.due),
            None => Next {
                labels: dialogue.labels(),
                body: dialogue.write().into(),
                due: dialogue.due(),
                idle: dialogue.idle(SEEN_FOR),
            },
        }
    }

    /// Messages for home go straight to its lane. Where a record is written, or one is still pending, all effects stand in
    /// line behind it, so that nothing is said before it is true and nothing overtakes. What is said about a refused record takes
    /// the place of what it was to bring: before all that still stands in line.
    ///
    /// A step's records come first, wherever its author has put them: what is said is said when all of them are written.
    fn effects(&self, effects: &[Effect]) -> (Vec<Item>, Vec<Item>) {
        let home = self.incoming.key.chat;
        let is_awaited =
            |effect: &&Effect| matches!(effect, Effect::Record(record) if !record.aside);
        let (records, others): (Vec<_>, Vec<_>) = effects.iter().partition(is_awaited);
        let in_line =
            self.snapshot.pending > 0 && self.incoming.settles.is_none() || !records.is_empty();
        let last = effects.len().saturating_sub(1);
        let items = records.into_iter().chain(others).enumerate();
        let items = items.map(|(index, effect)| (effect, self.item(index, last, effect)));
        let (messages, jobs): (Vec<_>, Vec<_>) =
            items.partition(|(effect, _)| !in_line && effect.chat() == Some(home));
        // Jobs are counted when they are handed over: here they are known by their bare ids.
        let counted = |(effect, item): (&Effect, Item)| item.counting(effect.sendings());
        let messages = messages.into_iter().map(counted).collect();
        (messages, jobs.into_iter().map(|(_, item)| item).collect())
    }

    /// The first thing that is said at home answers the update: it carries when that came.
    fn stamp(&self, effects: &mut [Effect]) {
        let home = self.incoming.key.chat;
        let said = effects.iter_mut().find_map(|effect| match effect {
            Effect::Send(message) if message.chat == home => Some(message),
            _ => None,
        });
        if let Some(message) = said {
            message.received = self.received();
        }
    }

    /// When the update came, by the clock on the wall: another replica may be the one that answers it. Nobody waits for the answer
    /// to anything else.
    fn received(&self) -> Option<Millis> {
        let Event { cause, received, .. } = &self.incoming;
        let ago = Millis::try_from(received.elapsed().as_millis()).ok()?;
        cause.update()?;
        Clock::system().now().checked_sub(ago)
    }

    /// Notes who is talking, behind everything else: when nothing is known of them here, be it because they were forgotten, when
    /// their app speaks another language by now, and whenever they begin anew.
    pub(super) fn meeting(&self, played: &Played, records: &dyn Records) -> Option<Item> {
        let index = played.effects.len();
        let Event { cause, key, person, input, .. } = &self.incoming;
        let begins = matches!(input, Input::Command(command) if command.name == "start");
        let is_new = self.snapshot.body.as_ref().is_none_or(|body| *body == BLANK);
        cause.update().filter(|_| begins || is_new || played.in_other_language)?;
        let record = Record {
            flow: String::new(),
            user: key.user,
            topic: key.topic,
            home: None,
            command: records.meeting(person)?,
            last: index,
            aside: true,
        };
        Some(self.item(index, index, &Effect::Record(record)))
    }

    /// Writes an effect. A record is told where its step ends, in case the rest must be skipped.
    fn item(&self, index: usize, last: usize, effect: &Effect) -> Item {
        let Event { cause, stamp, .. } = &self.incoming;
        let body = match effect {
            Effect::Record(record) => {
                serde_json::to_vec(&Effect::Record(Record { last, ..record.clone() }))
            }
            other => serde_json::to_vec(other),
        };
        let body = body.expect("an effect is plain data");
        Item { id: format!("{}.{stamp}.{index}", cause.number()), body: body.into() }
    }
}
