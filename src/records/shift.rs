//! Shifts: opened by a worker at an object, worked, and closed with their pay.
//!
//! What was agreed is written down when a shift is opened, so that the worker is paid by what they saw. A shift is closed and its
//! adjustments written in one transaction, from what the records hold in that transaction.
//!
//! Only opening takes the role of a worker. What is open belongs to whoever opened it: they finish it and are paid, whatever became
//! of the role, and nobody else can.

use steadfast::records::{Fault, Tx};

mod close;
mod complete;
mod open;
mod place;
mod running;

pub use close::CloseShift;
pub use complete::CompleteTask;
pub use open::OpenShift;
pub use place::{Offer, Site, Sites};
pub use running::Running;

/// The reason of a refusal: the worker has another shift open.
pub const ALREADY_OPEN: &str = "already_open";
/// The reason of a refusal: what was agreed to, or shown, is not so any more.
pub const CHANGED: &str = "changed";
/// The reason of a refusal: the worker has no such shift, or it is closed.
pub const CLOSED: &str = "closed";
/// The reason of a refusal: a photo must show it.
pub const NEEDS_PHOTO: &str = "needs_photo";
/// The reason of a refusal: there are as many photos of it as there may be.
pub const ENOUGH_PHOTOS: &str = "enough_photos";
/// How many photos a task may have.
pub const MOST_PHOTOS: usize = 10;

/// Keeps everybody else from changing this open shift of this worker until the transaction ends; answers whether there is one.
async fn hold(tx: &mut Tx<'_>, shift: &str, worker: i64, at: i64) -> Result<bool, Fault> {
    let sql = "UPDATE shifts SET touched_at = $1 WHERE id = $2 AND worker = $3 AND status = 'open'";
    let hold = sqlx::query(sql).bind(at).bind(shift).bind(worker);
    Ok(hold.execute(&mut *tx.connection).await?.rows_affected() == 1)
}
