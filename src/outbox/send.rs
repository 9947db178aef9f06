//! Sends one message.

use std::time::Instant;

use metrics::{counter, histogram};
use teloxide_core::payloads::{SendMessage, SendMessageSetters as _};
use teloxide_core::types::{
    ChatId, InlineKeyboardButton, InlineKeyboardMarkup, MessageId, ThreadId,
};

use crate::dialogue::Message;
use crate::telegram::{CallError, Telegram};

/// Sends a message and measures it.
pub(super) async fn send(telegram: &Telegram, message: &Message) -> Result<(), CallError> {
    let start = Instant::now();
    let sent = telegram.call(&payload(message)).await;
    let result = sent.as_ref().map_or_else(CallError::word, |()| "ok");
    histogram!("steadfast_telegram_call_duration_seconds", "method" => "sendMessage")
        .record(start.elapsed());
    counter!("steadfast_telegram_calls_total", "method" => "sendMessage", "result" => result)
        .increment(1);
    sent
}

fn payload(message: &Message) -> SendMessage {
    let mut payload = SendMessage::new(ChatId(message.chat), message.text.clone());
    if let Some(topic) = message.topic {
        payload = payload.message_thread_id(ThreadId(MessageId(topic)));
    }
    if !message.rows.is_empty() {
        let button = |(label, data): &(String, String)| InlineKeyboardButton::callback(label, data);
        let rows = message
            .rows
            .iter()
            .map(|row| row.iter().map(button).collect::<Vec<_>>());
        payload = payload.reply_markup(InlineKeyboardMarkup::new(rows));
    }
    payload
}
