//! How often the causes of a dialogue were tried, each for itself.

use super::codec::{Reader, Writer};
use crate::{CAUSES_MAX, Cause, NOTED_MAX, Result, Token};

/// What is kept of the tries of a dialogue.
#[derive(Debug, Clone, Default)]
pub(super) struct Tries {
    /// Those that did not come to an end, the one noted last first; at most [`CAUSES_MAX`].
    causes: Vec<Tried>,
    /// The turns that were noted last and not taken back, of all causes, the latest first; at most [`NOTED_MAX`].
    turns: Vec<Token>,
}

/// A cause.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    /// [`Cause::number`].
    cause: u64,
    /// How often; never 0.
    count: u32,
}

impl Tries {
    /// Notes a try, once per turn.
    pub(super) fn note(&mut self, cause: Cause, turn: Token) {
        let count = self.count(cause);
        if count > 0 && self.turns.contains(&turn) {
            return;
        }
        self.causes.retain(|tried| tried.cause != cause.number());
        self.turns.retain(|noted| *noted != turn);
        let tried = Tried { cause: cause.number(), count: count + 1 };
        self.causes.insert(0, tried);
        self.causes.truncate(CAUSES_MAX);
        self.turns.insert(0, turn);
        self.turns.truncate(NOTED_MAX);
    }

    /// Takes back the try that this turn noted.
    pub(super) fn take_back(&mut self, cause: Cause, turn: Token) {
        let mut causes = self.causes.iter_mut();
        let tried = causes.find(|tried| tried.cause == cause.number());
        if let Some(tried) = tried
            && self.turns.contains(&turn)
        {
            tried.count -= 1;
            self.turns.retain(|noted| *noted != turn);
            self.forget(|tried| tried.count == 0);
        }
    }

    /// Forgets the tries of a cause that came to an end.
    pub(super) fn end(&mut self, cause: Cause) {
        self.forget(|tried| tried.cause == cause.number());
    }

    /// With the last cause the turns go too.
    fn forget(&mut self, is_over: impl Fn(&Tried) -> bool) {
        self.causes.retain(|tried| !is_over(tried));
        if self.causes.is_empty() {
            self.turns.clear();
        }
    }

    /// How often this cause was tried.
    pub(super) fn count(&self, cause: Cause) -> u32 {
        let mut causes = self.causes.iter();
        let tried = causes.find(|tried| tried.cause == cause.number());
        tried.map_or(0, |tried| tried.count)
    }

    /// Writes the latest cause and the turns: as good as always that is all.
    pub(super) fn write_latest(&self, writer: Writer) -> Writer {
        let latest = self.causes.first().copied().unwrap_or_default();
        let turns = self.turns.iter().flat_map(|turn| turn.0.to_be_bytes());
        latest.write(writer).bytes(&turns.collect::<Vec<u8>>())
    }

    /// Writes the other causes, at the end of the record and only where there are any.
    pub(super) fn write_others(&self, writer: Writer) -> Writer {
        let others = self.causes.iter().skip(1);
        others.fold(writer, |writer, tried| tried.write(writer))
    }

    /// Reads what [`Tries::write_latest`] wrote.
    pub(super) fn read_latest(reader: &mut Reader) -> Result<Self> {
        let latest = Tried::read(reader)?;
        let turns = reader.bytes()?;
        let turns = turns.as_chunks().0.iter();
        Ok(Self {
            causes: Some(latest).filter(|tried| tried.count > 0).into_iter().collect(),
            turns: turns.map(|turn| Token(u64::from_be_bytes(*turn))).collect(),
        })
    }

    /// Reads what [`Tries::write_others`] wrote.
    pub(super) fn read_others(&mut self, reader: &mut Reader) -> Result<()> {
        while !reader.is_at_end() {
            self.causes.push(Tried::read(reader)?);
        }
        Ok(())
    }
}

impl Tried {
    fn write(self, writer: Writer) -> Writer {
        writer.u64(self.cause).u32(self.count)
    }

    fn read(reader: &mut Reader) -> Result<Self> {
        Ok(Self { cause: reader.u64()?, count: reader.u32()? })
    }
}
