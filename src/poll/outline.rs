//! What must be known of an update to put it into its queue.

use serde::Deserialize;

/// The number of an update, and its queue.
pub(super) struct Outline {
    /// The number; of something that has none, 0.
    pub(super) update_id: i64,
    /// Whose updates it comes after.
    pub(super) queue: String,
}

impl Outline {
    /// Something that is no update goes into a queue of its own, and is put aside there.
    pub(super) fn read(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Number {
            update_id: i64,
        }
        Self::of_update(body).unwrap_or_else(|_| Self {
            update_id: serde_json::from_slice(body).map_or(0, |Number { update_id }| update_id),
            queue: String::new(),
        })
    }

    fn of_update(body: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Id {
            id: i64,
        }
        #[derive(Deserialize)]
        struct Message {
            chat: Id,
        }
        #[derive(Deserialize)]
        struct Press {
            from: Id,
        }
        #[derive(Deserialize)]
        struct Update {
            update_id: i64,
            message: Option<Message>,
            edited_message: Option<Message>,
            callback_query: Option<Press>,
        }
        let update: Update = serde_json::from_slice(body)?;
        let chat = update
            .message
            .or(update.edited_message)
            .map(|message| format!("chat {}", message.chat.id));
        let user = update
            .callback_query
            .map(|press| format!("user {}", press.from.id));
        let queue = chat.or(user).unwrap_or_default();
        Ok(Self {
            update_id: update.update_id,
            queue,
        })
    }
}
