//! What is remembered of a chat: its messages by name, and whether messages reach it at all.

use super::codec::{Reader, Writer};
use super::{Desk, keys};
use crate::{DialogueKey, Millis, NAMED_FOR, Note, Refused, Result};

impl Desk<'_> {
    /// Keeps a note, for as long as that is due.
    pub(super) fn keep_note(&mut self, chat: i64, note: &Note) -> Result<()> {
        let key = keys::note(chat, &note.name);
        let old = self.shelf.get(&key)?.map(Reader::new);
        let old = old.map(|mut reader| reader.u64()).transpose()?;
        let until = self.after(NAMED_FOR);
        let expiry = |at| keys::expiry(at, &key);
        self.shift(old.map(expiry), Some(expiry(until)))?;
        let value = Writer::default().u64(until).u64(note.message as u64);
        self.shelf.put(&key, &value.finish())
    }

    /// Keeps a note, unless a newer message has the name.
    pub(super) fn keep_newer_note(&mut self, chat: i64, note: &Note) -> Result<()> {
        match self.noted(chat, &note.name)? {
            Some(kept) if kept > note.message => Ok(()),
            _ => self.keep_note(chat, note),
        }
    }

    /// See [`Store::named`](crate::Store::named).
    pub(super) fn noted(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        let Some(value) = self.shelf.get(&keys::note(chat, name))? else {
            return Ok(None);
        };
        let mut reader = Reader::new(value);
        let (until, message) = (reader.u64()?, reader.u64()? as i64);
        Ok((until > self.now).then_some(message))
    }

    /// See [`Store::block`](crate::Store::block).
    pub(super) fn block(&mut self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        if let Some(refused) = refused
            && self.wrote_since(chat, refused)?
        {
            return Ok(false);
        }
        self.shelf.put(&keys::blocked(chat), &[])?;
        Ok(true)
    }

    /// Whether the person wrote after this call began.
    fn wrote_since(&mut self, chat: i64, refused: Refused) -> Result<bool> {
        let home = DialogueKey { chat, user: chat, topic: None };
        let began = self.now.saturating_sub(refused.ago.as_millis() as Millis);
        let record = self.record(&home)?;
        let last = record.and_then(|record| record.seen.last());
        let is_new = |(id, second)| Some(id) != refused.update && second >= began / 1000;
        Ok(last.is_some_and(is_new))
    }

    /// Notes that messages reach the chat.
    pub(super) fn unblock(&mut self, chat: i64) -> Result<()> {
        self.shelf.delete(&keys::blocked(chat))
    }

    /// Whether messages do not reach the chat.
    pub(super) fn is_blocked(&self, chat: i64) -> Result<bool> {
        Ok(self.shelf.get(&keys::blocked(chat))?.is_some())
    }
}
