//! One call of the Bot API for one effect.

use serde::Serialize;
use teloxide_core::payloads::{
    DeleteMessage, EditMessageText, EditMessageTextSetters as _, SendChatAction, SendMediaGroup,
    SendMessage, SendMessageSetters as _, SendPhoto, SendPhotoSetters as _,
};
use teloxide_core::requests::Payload;
use teloxide_core::types::{
    ButtonRequest, ChatAction, ChatId, FileId, InlineKeyboardButton, InlineKeyboardMarkup,
    InputFile, InputMedia, InputMediaPhoto, KeyboardButton, KeyboardMarkup, KeyboardRemove,
    MessageId, ParseMode, ReplyMarkup, ReplyParameters, ThreadId,
};

use crate::dialogue::{Keys, Message};
use crate::outbox::telegram::{Answer, CallError, Telegram};

/// Calls the Bot API.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    telegram: Telegram,
}

impl Sender {
    pub(super) fn new(telegram: Telegram) -> Self {
        Self { telegram }
    }

    /// Changes this message, and answers whether it could be.
    pub(super) async fn edit(&self, message: &Message, old: i64) -> Result<bool, CallError> {
        match self.call(&edit(message, old)).await {
            Ok(_) => Ok(true),
            Err(CallError::Permanent { code: 400, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sends a message, and answers its id.
    pub(super) async fn send(&self, message: &Message) -> Result<Option<i64>, CallError> {
        let answer = match message.photos.as_slice() {
            [] => self.call(&text(message)).await?,
            [photo] => self.call(&photo_with_caption(message, photo)).await?,
            photos => self.call(&album(message, photos)).await?,
        };
        Ok(answer.and_then(|answer| answer.message_id()))
    }

    pub(super) async fn delete(&self, chat: i64, message: i64) -> Result<(), CallError> {
        self.call(&DeleteMessage::new(ChatId(chat), id(message))).await.map(drop)
    }

    pub(super) async fn typing(&self, chat: i64, topic: Option<i32>) -> Result<(), CallError> {
        let mut payload = SendChatAction::new(ChatId(chat), ChatAction::Typing);
        payload.message_thread_id = topic.map(thread);
        self.call(&payload).await.map(drop)
    }

    /// Calls a method. A refusal that leaves nothing to be done is as good as an answer.
    async fn call<P: Payload + Serialize>(&self, payload: &P) -> Result<Option<Answer>, CallError> {
        match self.telegram.call(payload).await {
            Err(error) if error.is_fine() => Ok(None),
            answered => answered.map(Some),
        }
    }
}

/// Whether another message can become this one in place: a text cannot become photos, and a keyboard in the place of the person's
/// own comes with a new message only.
pub(super) fn is_editable(message: &Message) -> bool {
    message.in_place && message.photos.is_empty() && message.keyboard.is_none()
}

fn text(message: &Message) -> SendMessage {
    let mut payload =
        SendMessage::new(ChatId(message.chat), message.text.clone()).parse_mode(ParseMode::Html);
    payload.message_thread_id = message.topic.map(thread);
    payload.reply_markup = markup(message);
    payload.reply_parameters = message.reply_to.map(reply);
    payload
}

fn photo_with_caption(message: &Message, photo: &str) -> SendPhoto {
    let mut payload = SendPhoto::new(ChatId(message.chat), file(photo));
    if !message.text.is_empty() {
        payload = payload.caption(message.text.clone()).parse_mode(ParseMode::Html);
    }
    payload.message_thread_id = message.topic.map(thread);
    payload.reply_markup = markup(message);
    payload.reply_parameters = message.reply_to.map(reply);
    payload
}

/// The caption of an album is that of its first part.
fn album(message: &Message, photos: &[String]) -> SendMediaGroup {
    let media = photos.iter().enumerate().map(|(at, photo)| {
        let mut media = InputMediaPhoto::new(file(photo));
        if at == 0 && !message.text.is_empty() {
            media = media.caption(message.text.clone()).parse_mode(ParseMode::Html);
        }
        InputMedia::Photo(media)
    });
    let mut payload = SendMediaGroup::new(ChatId(message.chat), media);
    payload.message_thread_id = message.topic.map(thread);
    payload.reply_parameters = message.reply_to.map(reply);
    payload
}

fn edit(message: &Message, old: i64) -> EditMessageText {
    EditMessageText::new(ChatId(message.chat), id(old), message.text.clone())
        .parse_mode(ParseMode::Html)
        .reply_markup(inline(message))
}

fn markup(message: &Message) -> Option<ReplyMarkup> {
    if !message.rows.is_empty() {
        return Some(ReplyMarkup::InlineKeyboard(inline(message)));
    }
    Some(match message.keyboard.as_ref()? {
        Keys::Contact(label) => {
            let button = KeyboardButton::new(label).request(ButtonRequest::Contact);
            ReplyMarkup::Keyboard(
                KeyboardMarkup::new([[button]]).resize_keyboard().one_time_keyboard(),
            )
        }
        Keys::Words(rows) => {
            let rows =
                rows.iter().map(|row| row.iter().map(KeyboardButton::new).collect::<Vec<_>>());
            ReplyMarkup::Keyboard(KeyboardMarkup::new(rows).resize_keyboard())
        }
        Keys::Remove => ReplyMarkup::KeyboardRemove(KeyboardRemove::new()),
    })
}

fn inline(message: &Message) -> InlineKeyboardMarkup {
    let button = |(label, data): &(String, String)| InlineKeyboardButton::callback(label, data);
    InlineKeyboardMarkup::new(
        message.rows.iter().map(|row| row.iter().map(button).collect::<Vec<_>>()),
    )
}

fn file(file_id: &str) -> InputFile {
    InputFile::file_id(FileId(file_id.to_owned()))
}

fn reply(to: i32) -> ReplyParameters {
    ReplyParameters::new(MessageId(to)).allow_sending_without_reply()
}

fn thread(topic: i32) -> ThreadId {
    ThreadId(MessageId(topic))
}

/// Telegram's message ids are 32 bits; another one is none of its.
fn id(message: i64) -> MessageId {
    MessageId(i32::try_from(message).unwrap_or_default())
}
