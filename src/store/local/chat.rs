//! What is remembered of a chat: its messages by name, and whether messages reach it at all.

use super::codec::{Reader, Writer};
use super::{Desk, keys};
use crate::store::{NAMED_FOR, Note, Result};

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

    /// See [`Store::named`](crate::store::Store::named).
    pub(super) fn noted(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        let Some(value) = self.shelf.get(&keys::note(chat, name))? else {
            return Ok(None);
        };
        let mut reader = Reader::new(value);
        let (until, message) = (reader.u64()?, reader.u64()? as i64);
        Ok((until > self.now).then_some(message))
    }

    /// See [`Store::block`](crate::store::Store::block).
    pub(super) fn block(&mut self, chat: i64) -> Result<()> {
        self.shelf.put(&keys::blocked(chat), &[])
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
