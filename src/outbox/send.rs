//! Sends messages.

use std::time::Instant;

use metrics::{Counter, Histogram, counter, histogram};
use teloxide_core::payloads::{SendMessage, SendMessageSetters as _};
use teloxide_core::types::{
    ChatId, InlineKeyboardButton, InlineKeyboardMarkup, MessageId, ThreadId,
};

use crate::dialogue::Message;
use crate::telegram::{CallError, Telegram};

/// Sends messages and measures each.
#[derive(Debug)]
pub(super) struct Sender {
    telegram: Telegram,
    duration: Histogram,
    sent: Counter,
}

impl Sender {
    pub(super) fn new(telegram: Telegram) -> Self {
        Self {
            telegram,
            duration: histogram!("steadfast_telegram_call_duration_seconds", "method" => "sendMessage"),
            sent: calls("ok"),
        }
    }

    pub(super) async fn send(&self, message: &Message) -> Result<(), CallError> {
        let start = Instant::now();
        let sent = self.telegram.call(&payload(message)).await;
        self.duration.record(start.elapsed());
        match &sent {
            Ok(()) => self.sent.increment(1),
            Err(error) => calls(error.word()).increment(1),
        }
        sent
    }
}

fn calls(result: &'static str) -> Counter {
    counter!("steadfast_telegram_calls_total", "method" => "sendMessage", "result" => result)
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
