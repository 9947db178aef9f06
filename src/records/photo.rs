//! Photos that people have sent, by Telegram's id of each.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use steadfast::records::{Command, Fault, Order, Ruling, Tx};

/// Keeps photos of the person whose step it was. Never refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "keep_photos")]
pub struct KeepPhotos {
    /// The photos, by their file id, in order.
    pub photos: Vec<String>,
    /// What was written to them.
    pub caption: Option<String>,
    /// Telegram's id of the album, whose late parts are added by [`AddPhoto`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub album: Option<String>,
}

#[async_trait]
impl Command for KeepPhotos {
    const NAME: &'static str = "keep_photos";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let sql = "INSERT INTO photos (id, place, owner, file_id, caption, album, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        for (place, photo) in (1_i64..).zip(&self.photos) {
            let keep = sqlx::query(sql)
                .bind(&order.effect)
                .bind(place)
                .bind(order.key.user)
                .bind(photo)
                .bind(self.caption.as_deref())
                .bind(self.album.as_deref())
                .bind(tx.now);
            keep.execute(&mut *tx.connection).await?;
        }
        Ok(Ruling::Applied)
    }
}

/// Adds a late part to an album that is kept already; one that is not kept stays so. Never refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "add_photo")]
pub struct AddPhoto {
    /// Telegram's id of the album.
    pub album: String,
    /// The photo, by its file id.
    pub photo: String,
}

#[async_trait]
impl Command for AddPhoto {
    const NAME: &'static str = "add_photo";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let sql = "INSERT INTO photos (id, place, owner, file_id, caption, album, created_at) \
                   SELECT id, MAX(place) + 1, owner, $1, caption, album, $2 FROM photos \
                   WHERE owner = $3 AND album = $4 GROUP BY id, owner, caption, album";
        let add =
            sqlx::query(sql).bind(self.photo).bind(tx.now).bind(order.key.user).bind(self.album);
        add.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}
