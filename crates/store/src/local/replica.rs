//! What replicas know of one another: leases and signs of life.

use std::time::Duration;

use bytes::Bytes;

use super::codec::{Reader, Writer};
use super::{Desk, keys, millis};
use crate::{BEAT_FOR, Millis, OUTAGE_GAP, OUTAGE_GRACE, PARTITIONS, Pulse, Result, Token};

/// Who holds a lease.
#[derive(Debug, Default)]
struct Lease {
    holder: Option<Token>,
    expires: Millis,
    fence: u64,
}

impl Desk<'_> {
    /// See [`Store::lease`](crate::Store::lease).
    pub(super) fn lease(
        &mut self,
        name: &str,
        holder: Token,
        ttl: Duration,
    ) -> Result<Option<u64>> {
        let mut lease = self.lease_of(name)?;
        if lease.holder != Some(holder) {
            if lease.holder.is_some() && lease.expires > self.now {
                // It was never given for longer, unless the clock was set back.
                if lease.expires > self.after(ttl) {
                    lease.expires = self.after(ttl);
                    self.keep_lease(name, &lease)?;
                }
                return Ok(None);
            }
            lease.fence += 1;
        }
        lease.holder = Some(holder);
        lease.expires = self.after(ttl);
        self.keep_lease(name, &lease)?;
        Ok(Some(lease.fence))
    }

    /// See [`Store::release`](crate::Store::release).
    pub(super) fn release(&mut self, name: &str, holder: Token) -> Result<()> {
        let mut lease = self.lease_of(name)?;
        if lease.holder != Some(holder) {
            return Ok(());
        }
        lease.holder = None;
        self.keep_lease(name, &lease)
    }

    /// See [`Store::beat`](crate::Store::beat).
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
        Ok(Pulse { replicas, hold, now })
    }

    /// Ends the leases, signs of life and lanes of those before, for one who knows that they are gone.
    pub(crate) fn take_over(&mut self) -> Result<()> {
        let leases = keys::leases();
        for (key, value) in self.shelf.scan(&leases..&keys::end(&leases), usize::MAX)? {
            let lease = Lease { holder: None, ..Lease::decode(value)? };
            self.shelf.put(&key, &lease.encode())?;
        }
        let beats = keys::beats();
        for (key, _) in self.shelf.scan(&beats..&keys::end(&beats), usize::MAX)? {
            self.shelf.delete(&key)?;
        }
        (0..PARTITIONS).try_for_each(|partition| self.free_lanes(partition))
    }

    /// Lets time pass as if replicas had given signs of life all the while, and answers the time then.
    pub(crate) fn leap(&mut self, by: Millis) -> Result<Millis> {
        let beats = keys::beats();
        let found = self.shelf.scan(&beats..&keys::end(&beats), usize::MAX)?;
        let pulse = self.shelf.get(&keys::pulse())?;
        let pulse = pulse.map(|value| (keys::pulse(), value));
        for (key, value) in found.into_iter().chain(pulse) {
            // Both begin with the time.
            let at = Reader::new(value.clone()).u64()?;
            let moved = [&(at + by).to_be_bytes(), &value[8..]].concat();
            self.shelf.put(&key, &moved)?;
        }
        Ok(self.now + by)
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
        // A clock that was set back makes nothing last longer.
        outage = outage.map(|end| end.min(self.now));
        let value = Writer::default().u64(self.now).option(outage).finish();
        self.shelf.put(&keys::pulse(), &value)?;
        Ok(outage.filter(|end| self.now.saturating_sub(*end) < millis(OUTAGE_GRACE)))
    }

    /// Those heard of lately. The others are forgotten.
    fn replicas(&mut self) -> Result<Vec<(String, Bytes)>> {
        let beats = keys::beats();
        let mut replicas = Vec::new();
        for (key, value) in self.shelf.scan(&beats..&keys::end(&beats), usize::MAX)? {
            let mut reader = Reader::new(value.clone());
            let beat = reader.u64()?;
            if self.now.saturating_sub(beat) >= millis(BEAT_FOR) {
                self.shelf.delete(&key)?;
                continue;
            }
            if beat > self.now {
                let now = [&self.now.to_be_bytes(), &value[8..]].concat();
                self.shelf.put(&key, &now)?;
            }
            replicas.push((keys::name(&key, beats.len())?, reader.bytes()?));
        }
        Ok(replicas)
    }

    fn lease_of(&self, name: &str) -> Result<Lease> {
        let value = self.shelf.get(&keys::lease(name))?;
        value.map_or_else(|| Ok(Lease::default()), Lease::decode)
    }

    fn keep_lease(&mut self, name: &str, lease: &Lease) -> Result<()> {
        self.shelf.put(&keys::lease(name), &lease.encode())
    }
}

impl Lease {
    fn encode(&self) -> Vec<u8> {
        Writer::default()
            .option(self.holder.map(|holder| holder.0))
            .u64(self.expires)
            .u64(self.fence)
            .finish()
    }

    fn decode(value: Bytes) -> Result<Self> {
        let mut reader = Reader::new(value);
        Ok(Self {
            holder: reader.option()?.map(Token),
            expires: reader.u64()?,
            fence: reader.u64()?,
        })
    }
}
