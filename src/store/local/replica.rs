//! What replicas know of one another: leases and signs of life.

use std::time::Duration;

use bytes::Bytes;

use super::codec::{Reader, Writer};
use super::{Desk, keys, millis};
use crate::store::{BEAT_FOR, Millis, OUTAGE_GAP, OUTAGE_GRACE, Pulse, Result, Token};

/// Who holds a lease.
#[derive(Debug, Default)]
struct Lease {
    holder: Option<Token>,
    expires: Millis,
    fence: u64,
}

impl Desk<'_> {
    /// See [`Store::lease`](crate::store::Store::lease).
    pub(super) fn lease(
        &mut self,
        name: &str,
        holder: Token,
        ttl: Duration,
    ) -> Result<Option<u64>> {
        let mut lease = self.lease_of(name)?;
        if lease.holder != Some(holder) {
            if lease.holder.is_some() && lease.expires > self.now {
                return Ok(None);
            }
            lease.fence += 1;
        }
        lease.holder = Some(holder);
        lease.expires = self.after(ttl);
        self.keep_lease(name, &lease)?;
        Ok(Some(lease.fence))
    }

    /// See [`Store::release`](crate::store::Store::release).
    pub(super) fn release(&mut self, name: &str, holder: Token) -> Result<()> {
        let mut lease = self.lease_of(name)?;
        if lease.holder != Some(holder) {
            return Ok(());
        }
        lease.holder = None;
        self.keep_lease(name, &lease)
    }

    /// See [`Store::beat`](crate::store::Store::beat).
    pub(super) fn beat(&mut self, replica: &str, info: Option<&Bytes>) -> Result<Pulse> {
        let hold = self.notice_outage()?;
        let key = keys::beat(replica);
        match info {
            Some(info) => {
                let value = Writer::default().u64(self.now).bytes(info).finish();
                self.shelf.put(&key, &value)?;
            }
            None => self.shelf.delete(&key)?,
        }
        let replicas = self.replicas()?;
        let now = self.now;
        Ok(Pulse {
            replicas,
            hold,
            now,
        })
    }

    /// Notes a sign of life of somebody, and answers the end of an outage that is not long over.
    fn notice_outage(&mut self) -> Result<Option<Millis>> {
        let value = self.shelf.get(&keys::pulse())?;
        let mut reader = value.map(Reader::new);
        let last = reader.as_mut().map_or(Ok(self.now), Reader::u64)?;
        let mut outage = reader.as_mut().map_or(Ok(None), Reader::option)?;
        if self.now.saturating_sub(last) > millis(OUTAGE_GAP) {
            outage = Some(self.now);
        }
        let value = Writer::default().u64(self.now).option(outage).finish();
        self.shelf.put(&keys::pulse(), &value)?;
        Ok(outage.filter(|end| self.now.saturating_sub(*end) < millis(OUTAGE_GRACE)))
    }

    /// Those heard of lately. The others are forgotten.
    fn replicas(&mut self) -> Result<Vec<(String, Bytes)>> {
        let beats = keys::beats();
        let mut replicas = Vec::new();
        for (key, value) in self.shelf.scan(&beats..&keys::end(&beats), usize::MAX)? {
            let mut reader = Reader::new(value);
            if self.now.saturating_sub(reader.u64()?) < millis(BEAT_FOR) {
                replicas.push((keys::name(&key, beats.len())?, reader.bytes()?));
            } else {
                self.shelf.delete(&key)?;
            }
        }
        Ok(replicas)
    }

    fn lease_of(&self, name: &str) -> Result<Lease> {
        let Some(value) = self.shelf.get(&keys::lease(name))? else {
            return Ok(Lease::default());
        };
        let mut reader = Reader::new(value);
        Ok(Lease {
            holder: reader.option()?.map(Token),
            expires: reader.u64()?,
            fence: reader.u64()?,
        })
    }

    fn keep_lease(&mut self, name: &str, lease: &Lease) -> Result<()> {
        let value = Writer::default()
            .option(lease.holder.map(|holder| holder.0))
            .u64(lease.expires)
            .u64(lease.fence)
            .finish();
        self.shelf.put(&keys::lease(name), &value)
    }
}
