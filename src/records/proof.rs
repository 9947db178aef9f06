//! The photos of tasks: those that are still to be downloaded, and those that were and are too old.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::Company;
use steadfast::records::{Fault, Sql};

/// A photo that shows that a task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The shift.
    pub shift: String,
    /// Its number.
    pub no: i64,
    /// The task.
    pub task: String,
    /// Its place among the tasks of the shift.
    pub task_place: i64,
    /// The place of the photo among those of the task.
    pub place: i64,
    /// What Telegram knows it by.
    pub file_id: String,
}

impl Proof {
    fn of(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            shift: row.try_get(0)?,
            no: row.try_get(1)?,
            task: row.try_get(2)?,
            task_place: row.try_get(3)?,
            place: row.try_get(4)?,
            file_id: row.try_get(5)?,
        })
    }

    /// What it is called where it is put; the same at every try.
    pub fn name(&self, suffix: &str) -> String {
        let (no, task, photo) = (self.no, self.task_place + 1, self.place + 1);
        format!("shift-{no:06}/task-{task:02}-{photo:02}.{suffix}")
    }
}

/// What became of a photo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// It was put there.
    Kept(String),
    /// It never will be, for this reason.
    Lost(String),
    /// It could not be had now; it is due again after so many milliseconds.
    Later(i64),
}

/// A photo that was downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The shift.
    pub shift: String,
    /// The task.
    pub task: String,
    /// Its place among those of the task.
    pub place: i64,
    /// Where it was put.
    pub path: String,
}

impl Kept {
    fn of(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            shift: row.try_get(0)?,
            task: row.try_get(1)?,
            place: row.try_get(2)?,
            path: row.try_get(3)?,
        })
    }
}

/// Some photos that are due to be downloaded.
pub async fn proofs(records: &Sql, limit: usize) -> Result<Vec<Proof>, Fault> {
    let now = records.now();
    records.read(async |connection| {
        let sql = "SELECT m.shift, s.no, m.task, t.place, m.place, m.file_id FROM shift_media m \
                   JOIN shifts s ON s.id = m.shift JOIN shift_tasks t ON t.shift = m.shift AND t.task = m.task \
                   WHERE m.path IS NULL AND m.lost IS NULL AND m.due_at <= $1 ORDER BY m.due_at LIMIT $2";
        let found = sqlx::query(sql).bind(now).bind(limit as i64);
        let found = found.fetch_all(connection).await?;
        let proofs: Result<_, sqlx::Error> = found.iter().map(Proof::of).collect();
        Ok(proofs?)
    })
    .await
}

/// Notes what became of a photo. One that was forgotten, lost or kept elsewhere meanwhile stays so: answers whether it was noted.
pub async fn note_proof(records: &Sql, proof: &Proof, fetched: &Fetched) -> Result<bool, Fault> {
    let now = records.now();
    let (path, lost, due) = match fetched {
        Fetched::Kept(path) => (Some(path.clone()), None, now),
        Fetched::Lost(reason) => (None, Some(reason.clone()), now),
        Fetched::Later(wait) => (None, None, now + wait),
    };
    records.write(async |connection| {
        let sql = "UPDATE shift_media SET path = $1, lost = $2, due_at = $3 WHERE shift = $4 AND task = $5 AND place = $6 \
                   AND lost IS NULL AND (path IS NULL OR path = $1)";
        let note = sqlx::query(sql).bind(path).bind(lost).bind(due);
        let note = note.bind(&proof.shift).bind(&proof.task).bind(proof.place);
        Ok(note.execute(connection).await?.rows_affected() == 1)
    })
    .await
}

/// Some photos that were downloaded and are older than photos are kept: none where they are kept for good.
pub async fn overdue_proofs(records: &Sql, limit: usize) -> Result<Vec<Kept>, Fault> {
    let Some(age) = records.settings::<Company>().retention.photos else {
        return Ok(Vec::new());
    };
    let before = records.before(age);
    records.read(async |connection| {
        let sql = "SELECT shift, task, place, path FROM shift_media WHERE path IS NOT NULL AND added_at < $1 \
                   ORDER BY added_at LIMIT $2";
        let found = sqlx::query(sql).bind(before).bind(limit as i64);
        let found = found.fetch_all(connection).await?;
        let kept: Result<_, sqlx::Error> = found.iter().map(Kept::of).collect();
        Ok(kept?)
    })
    .await
}

/// Notes that the file of a photo is gone, for good. Repeated, it changes nothing.
pub async fn note_removed(records: &Sql, kept: &Kept) -> Result<(), Fault> {
    records
        .write(async |connection| {
            let sql = "UPDATE shift_media SET path = NULL, lost = 'expired' \
                   WHERE shift = $1 AND task = $2 AND place = $3 AND path = $4";
            let note = sqlx::query(sql).bind(&kept.shift).bind(&kept.task);
            note.bind(kept.place).bind(&kept.path).execute(connection).await?;
            Ok(())
        })
        .await
}
