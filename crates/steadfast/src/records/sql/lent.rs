//! A connection on loan.

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool};

use crate::records::Fault;

/// A connection that is closed when it is dropped in the middle of something: whoever waits on it may wait for ever, and
/// a pool that gets it back would too.
#[derive(Debug)]
pub(super) struct Lent {
    connection: PoolConnection<Any>,
    is_idle: bool,
}

impl Lent {
    /// Takes one from the pool.
    pub(super) async fn from(pool: &AnyPool) -> Result<Self, Fault> {
        Ok(Self { connection: pool.acquire().await?, is_idle: false })
    }

    /// The connection.
    pub(super) fn connection(&mut self) -> &mut AnyConnection {
        &mut self.connection
    }

    /// Gives it back for others to use.
    pub(super) fn give_back(mut self) {
        self.is_idle = true;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.is_idle {
            self.connection.close_on_drop();
        }
    }
}
