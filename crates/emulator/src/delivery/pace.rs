//! How many connections there may be: one until something was taken, then as many as are needed, and never many new ones at once.

use std::collections::VecDeque;

use super::connection::Connection;
use crate::clock::Millis;

/// Without a success for so long, the webhook is thought to be ill.
const HEALTHY: Millis = 10_000;
/// To one that is well, so many new connections within so long.
const MANY: (usize, Millis) = (10, 500);
/// To one that is ill.
const FEW: (usize, Millis) = (1, 2_000);
/// How long a connection that nobody uses is kept.
const IDLE: Millis = 60_000;

/// The connections to a webhook.
#[derive(Debug, Default)]
pub(super) struct Pace {
    idle: Vec<(Connection, Millis)>,
    busy: usize,
    /// The next trip goes by the connection that was freed last; otherwise by a new one.
    takes_idle: bool,
    last_success: Option<Millis>,
    /// When new connections were made, to a webhook that is well and to one that is ill.
    well: VecDeque<Millis>,
    ill: VecDeque<Millis>,
}

impl Pace {
    /// A connection for one more trip, of so many that there may be; or when there may be one, if time brings it.
    pub(super) fn seat(&mut self, now: Millis, most: usize) -> Result<(), Option<Millis>> {
        self.close_idle(now);
        self.takes_idle = !self.idle.is_empty();
        if self.takes_idle {
            if self.busy >= most {
                return Err(None);
            }
        } else {
            self.make(now, most)?;
        }
        self.busy += 1;
        Ok(())
    }

    /// The same for a trip that goes however the webhook fares, and however many connections were made of late.
    pub(super) fn seat_at_once(&mut self, now: Millis, most: usize) -> Result<(), Option<Millis>> {
        self.close_idle(now);
        if self.busy >= most {
            return Err(None);
        }
        self.takes_idle = !self.idle.is_empty();
        self.busy += 1;
        Ok(())
    }

    fn make(&mut self, now: Millis, most: usize) -> Result<(), Option<Millis>> {
        let is_well = self.last_success.is_some_and(|at| now.saturating_sub(at) <= HEALTHY);
        let most = if is_well { most } else { most.min(1) };
        if self.busy >= most {
            return Err(None);
        }
        let (made, (count, within)) = match is_well {
            true => (&mut self.well, MANY),
            false => (&mut self.ill, FEW),
        };
        made.retain(|at| now.saturating_sub(*at) < within);
        if made.len() >= count {
            return Err(made.front().map(|at| at + within));
        }
        made.push_back(now);
        Ok(())
    }

    /// The connection of the seat that was just given, unless it is a new one.
    pub(super) fn idle(&mut self) -> Option<Connection> {
        match self.takes_idle {
            true => self.idle.pop().map(|(connection, _)| connection),
            false => None,
        }
    }

    /// Closes what nobody has used for long, or the webhook has closed.
    pub(super) fn close_idle(&mut self, now: Millis) {
        self.idle.retain(|(connection, since)| {
            connection.is_open() && now.saturating_sub(*since) < IDLE
        });
    }

    /// A trip is over; its connection may be used again.
    pub(super) fn back(&mut self, connection: Option<Connection>, now: Millis) {
        self.busy = self.busy.saturating_sub(1);
        if let Some(connection) = connection {
            self.idle.push((connection, now));
        }
    }

    pub(super) fn succeeded(&mut self, now: Millis) {
        self.last_success = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_until_the_first_success() {
        let mut pace = Pace::default();
        assert!(pace.seat(0, 40).is_ok());
        assert_eq!(pace.seat(0, 40), Err(None));
        pace.back(None, 0);
        assert_eq!(pace.seat(100, 40), Err(Some(2_000)), "one attempt in two seconds");
        assert!(pace.seat(2_000, 40).is_ok());
        pace.succeeded(2_000);
        pace.back(None, 0);
        for _ in 0..10 {
            assert!(pace.seat(2_000, 40).is_ok());
        }
        assert_eq!(pace.seat(2_100, 40), Err(Some(2_500)), "ten at once, twenty a second");
        assert_eq!(pace.seat(13_000, 40), Err(None), "ten seconds without a success");
    }

    #[test]
    fn no_more_than_may_be() {
        let mut pace = Pace::default();
        pace.succeeded(0);
        assert!(pace.seat(0, 2).is_ok());
        assert!(pace.seat(0, 2).is_ok());
        assert_eq!(pace.seat(0, 2), Err(None));
    }
}
