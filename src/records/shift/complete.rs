//! Ticking off a task of an open shift.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{CHANGED, CLOSED, ENOUGH_PHOTOS, MOST_PHOTOS, NEEDS_PHOTO, hold};
use crate::records::task::{Of, collect};
use steadfast::records::{Command, Fault, Order, Ruling, Tx, refused};

/// Notes that a task of an open shift is done, and a photo that shows it. What is done stays done; more photos may follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "complete_task")]
pub struct CompleteTask {
    /// The shift.
    pub shift: String,
    /// The task.
    pub task: String,
    /// A photo, by its file id.
    pub photo: Option<String>,
    /// When: UTC, in milliseconds.
    pub at: i64,
}

#[async_trait]
impl Command for CompleteTask {
    const NAME: &'static str = "complete_task";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if !hold(tx, &self.shift, order.key.user, self.at).await? {
            return Ok(refused(CLOSED));
        }
        let tasks = collect(tx.connection, Of::Shift(&self.shift)).await?;
        let Some(task) = tasks.into_iter().find(|task| task.id == self.task) else {
            return Ok(refused(CHANGED));
        };
        if self.photo.is_some() && task.photos >= MOST_PHOTOS {
            return Ok(refused(ENOUGH_PHOTOS));
        }
        if task.media && task.photos == 0 && self.photo.is_none() {
            return Ok(refused(NEEDS_PHOTO));
        }
        self.attach(tx, task.photos).await?;
        let sql = "UPDATE shift_tasks SET done_at = $1 WHERE shift = $2 AND task = $3 AND done_at IS NULL";
        let done = sqlx::query(sql).bind(self.at).bind(&self.shift).bind(&self.task);
        done.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

impl CompleteTask {
    /// Keeps the photo, behind those that are there.
    async fn attach(&self, tx: &mut Tx<'_>, place: usize) -> Result<(), Fault> {
        let Some(photo) = &self.photo else {
            return Ok(());
        };
        let sql = "INSERT INTO shift_media (shift, task, place, file_id, added_at, due_at) VALUES ($1, $2, $3, $4, $5, $5)";
        let insert = sqlx::query(sql)
            .bind(&self.shift)
            .bind(&self.task)
            .bind(i64::try_from(place).unwrap_or(i64::MAX))
            .bind(photo)
            .bind(self.at);
        insert.execute(&mut *tx.connection).await?;
        Ok(())
    }
}
