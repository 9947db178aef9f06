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
        let user = update.callback_query.map(|press| format!("user {}", press.from.id));
        let queue = chat.or(user).unwrap_or_default();
        Ok(Self { update_id: update.update_id, queue })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn queue(update: &Value) -> String {
        Outline::read(update.to_string().as_bytes()).queue
    }

    fn of_chat(kind: &str, chat: i64) -> Value {
        json!({ "update_id": 7, kind: { "chat": { "id": chat }, "from": { "id": 5 } } })
    }

    fn press(user: i64, chat: i64) -> Value {
        let message = json!({ "chat": { "id": chat } });
        json!({ "update_id": 7, "callback_query": { "from": { "id": user }, "message": message } })
    }

    #[test]
    fn an_edit_stands_behind_the_messages_of_its_chat() {
        let [message, edit] = ["message", "edited_message"].map(|kind| queue(&of_chat(kind, -9)));
        assert_eq!(message, edit);
        assert_ne!(message, queue(&of_chat("message", -8)));
    }

    #[test]
    fn a_press_stands_behind_those_of_its_person_in_whatever_chat() {
        assert_eq!(queue(&press(5, 5)), queue(&press(5, -9)));
        assert_ne!(queue(&press(5, -9)), queue(&press(6, -9)));
        assert_ne!(queue(&press(5, 5)), queue(&of_chat("message", 5)));
    }

    #[test]
    fn what_is_no_update_keeps_its_number_and_stands_by_itself() {
        let odd = json!({ "update_id": 7, "message": "a word" }).to_string();
        for (body, id) in [(odd.as_str(), 7), ("nonsense", 0)] {
            let outline = Outline::read(body.as_bytes());
            assert_eq!((outline.update_id, outline.queue.as_str()), (id, ""));
        }
    }
}
