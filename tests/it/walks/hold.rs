//! The records behind the server's back: held for a moment, and spoilt, so that what was asked of them is refused when its person has
//! gone on to something else.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

/// Somebody else writes: everything can be read, and whoever wants to write waits.
pub(super) struct Hold(Connection);

/// The records take nothing new of a kind.
pub(super) struct Spoilt(Connection);

impl Hold {
    /// Holds the records in this file.
    pub(super) fn of(file: &Path) -> Self {
        let connection = Connection::open(file).expect("the records");
        let patience = connection.busy_timeout(Duration::from_secs(30));
        patience.expect("patience");
        let hold = Self(connection);
        hold.runs("BEGIN IMMEDIATE");
        hold
    }

    /// Changes something meanwhile.
    pub(super) fn runs(&self, sql: &str) {
        self.0.execute_batch(sql).expect("it can be done");
    }

    /// Lets go: whoever waited may write.
    pub(super) fn lets_go(self) {
        self.runs("COMMIT");
    }

    /// Lets go of records that take nothing new of this kind.
    pub(super) fn spoils(self, table: &str) -> Spoilt {
        self.runs(&format!(
            "CREATE TRIGGER never BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'never'); END; COMMIT"
        ));
        Spoilt(self.0)
    }
}

impl Spoilt {
    /// They take it again.
    pub(super) fn mends(self) {
        let mended = self.0.execute_batch("DROP TRIGGER never");
        mended.expect("it can be mended");
    }
}
