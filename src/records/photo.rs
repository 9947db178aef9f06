//! Photos that people have sent, by Telegram's id of each.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Command, Fault, Order, Ruling, Tx};

/// Keeps photos of the person whose step it was. Never refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "keep_photos")]
pub struct KeepPhotos {
    /// The photos, by their file id, in order.
    pub photos: Vec<String>,
    /// What was written to them.
    pub caption: Option<String>,
}

#[async_trait]
impl Command for KeepPhotos {
    const NAME: &'static str = "keep_photos";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let sql = "INSERT INTO photos (id, place, owner, file_id, caption, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
        for (place, photo) in (1_i64..).zip(&self.photos) {
            let keep = sqlx::query(sql)
                .bind(&order.effect)
                .bind(place)
                .bind(order.key.user)
                .bind(photo)
                .bind(self.caption.as_deref())
                .bind(tx.now);
            keep.execute(&mut *tx.connection).await?;
        }
        Ok(Ruling::Applied)
    }
}
