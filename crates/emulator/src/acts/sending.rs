//! People send something, or change what they sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Cannot, appear, fault, missing, present, say, wrong};
use crate::message::{Chat, Contact, Content, Location, Message, User};
use crate::people::Person;
use crate::queue::kind;
use crate::world::World;
use crate::{api, files, text};

/// Something that a person sends. One of the contents is to be there.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sending {
    /// Who.
    pub from: i64,
    /// Where; nothing: to the bot alone.
    pub chat: Option<i64>,
    /// Words.
    pub text: Option<String>,
    /// A picture: base64, or `true` for one that is made up.
    pub photo: Option<Value>,
    /// Several pictures at once.
    pub album: Option<Vec<Value>>,
    /// What is said about the picture or the file.
    pub caption: Option<String>,
    /// A phone number: `true` for one's own.
    pub contact: Option<Value>,
    /// A place.
    pub location: Option<Location>,
    /// A sticker.
    pub sticker: Option<bool>,
    /// A spoken message.
    pub voice: Option<bool>,
    /// A file: its `name` and its content in `base64`.
    pub document: Option<Value>,
    /// The message that this one answers.
    pub reply_to: Option<i64>,
    /// In which topic.
    pub thread: Option<i64>,
    /// What goes wrong with the delivery of this one.
    pub fault: Option<Value>,
}

impl Sending {
    /// Words to the bot.
    pub fn text(from: i64, text: &str) -> Self {
        Self { from, text: Some(text.to_owned()), ..Self::default() }
    }

    /// The same in a group.
    pub fn in_chat(self, chat: i64) -> Self {
        Self { chat: Some(chat), ..self }
    }
}

/// What came of sending something; an album is several messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The messages.
    pub messages: Vec<i64>,
    /// The updates; none where the bot does not want to hear of them.
    pub updates: Vec<Option<i64>>,
}

/// Somebody sends something.
pub(crate) fn send(world: &mut World, sending: &Sending) -> Result<Sent, Cannot> {
    let (person, chat) = present(world, sending.from, sending.chat)?;
    let fault = fault(sending.fault.as_ref())?;
    open(world, &chat, sending.thread)?;
    let reply = sending.reply_to.map(|id| replied(world, chat.id, id)).transpose()?;
    let contents = contents(world, &person, sending)?;
    appear(world, &person, &chat)?;
    let album = (sending.album.is_some())
        .then(|| rand::random_range(10_u64.pow(16)..10_u64.pow(17)).to_string());
    let mut sent = Sent { messages: Vec::new(), updates: Vec::new() };
    for content in contents {
        let (from, sender_chat) = author(&person, &chat);
        let message = Message {
            from,
            sender_chat,
            chat: chat.clone(),
            date: world.date(),
            message_thread_id: sending.thread,
            is_topic_message: sending.thread.is_some(),
            reply_to_message: reply.clone(),
            media_group_id: album.clone(),
            content,
            ..Message::default()
        };
        let (message, update) = say(world, message, &fault);
        sent.messages.push(message);
        sent.updates.push(update);
    }
    Ok(sent)
}

/// Who wrote something there: in a channel it is the channel.
fn author(person: &Person, chat: &Chat) -> (Option<User>, Option<Chat>) {
    match chat.is_channel() {
        true => (None, Some(chat.clone())),
        false => (Some(person.user()), None),
    }
}

fn replied(world: &mut World, chat: i64, id: i64) -> Result<Box<Message>, Cannot> {
    let entry = world.chats.room(chat).message(id);
    let message = entry.map(|entry| entry.message.clone());
    let message =
        message.ok_or_else(|| missing(format!("there is no message {id} in that chat")))?;
    let reply_to_message = None;
    Ok(Box::new(Message { reply_to_message, ..message }))
}

/// Whether this can be the text of a message.
pub(super) fn sayable(text: &str) -> Result<(), Cannot> {
    match text.trim().is_empty() || text::length(text) > 4096 {
        true => Err(wrong("a text has 1 to 4096 characters")),
        false => Ok(()),
    }
}

/// Whether somebody can write in this topic there; everybody can outside of any.
pub(super) fn open(world: &World, chat: &Chat, thread: Option<i64>) -> Result<(), Cannot> {
    let group = world.people.groups.get(&chat.id);
    let mut topics = group.into_iter().flat_map(|group| &group.topics);
    match thread {
        Some(thread) if !topics.any(|topic| topic.id == thread) => {
            Err(wrong(format!("there is no topic {thread} in that chat")))
        }
        _ => Ok(()),
    }
}

/// Whether this is one content at most, and a caption has something to stand under: the rest would be lost.
fn single(sending: &Sending) -> Result<(), Cannot> {
    let captioned = [
        ("photo", sending.photo.is_some()),
        ("album", sending.album.is_some()),
        ("document", sending.document.is_some()),
        ("voice", sending.voice == Some(true)),
    ];
    let bare = [
        ("text", sending.text.is_some()),
        ("contact", sending.contact.is_some()),
        ("location", sending.location.is_some()),
        ("sticker", sending.sticker == Some(true)),
    ];
    let said = bare.iter().chain(&captioned).filter(|(_, is_said)| *is_said);
    let said: Vec<&str> = said.map(|(name, _)| *name).collect();
    if let [one, other, ..] = said[..] {
        return Err(wrong(format!(
            "a message has one content, not both `{one}` and `{other}`; words to a picture are its `caption`"
        )));
    }
    let is_lost = sending.caption.is_some() && bare.iter().any(|(_, is_said)| *is_said);
    match is_lost {
        true => Err(wrong("a `caption` goes with a photo, an album, a document or a voice")),
        false => Ok(()),
    }
}

fn contents(world: &mut World, person: &Person, sending: &Sending) -> Result<Vec<Content>, Cannot> {
    single(sending)?;
    let caption = text::typed(sending.caption.as_deref().unwrap_or_default().trim());
    if let Some(text) = &sending.text {
        sayable(text)?;
        return Ok(vec![Content::of_text(text::typed(text.trim()))]);
    }
    if let Some(album) = &sending.album {
        if !(2..=10).contains(&album.len()) {
            return Err(wrong("an album has 2 to 10 pictures"));
        }
        let pictures: Result<Vec<Content>, Cannot> =
            album.iter().map(|it| picture(world, it)).collect();
        let mut pictures = pictures?;
        pictures[0] = pictures[0].clone().captioned(caption);
        return Ok(pictures);
    }
    Ok(vec![one(world, person, sending)?.captioned(caption)])
}

fn one(world: &mut World, person: &Person, sending: &Sending) -> Result<Content, Cannot> {
    if let Some(photo) = &sending.photo {
        return picture(world, photo);
    }
    if let Some(document) = &sending.document {
        return file(world, document);
    }
    if let Some(location) = sending.location {
        if !location.is_on_earth() {
            return Err(wrong("a latitude is -90 to 90, and a longitude -180 to 180"));
        }
        return Ok(Content { location: Some(location), ..Content::default() });
    }
    if let Some(said) = &sending.contact {
        let contact = match said {
            Value::Bool(true) => person.contact(),
            other => serde_json::from_value::<Contact>(other.clone())
                .map_err(|error| wrong(format!("that is no contact: {error}")))?,
        };
        return Ok(Content { contact: Some(contact), ..Content::default() });
    }
    let kind = match (sending.sticker, sending.voice) {
        (Some(true), _) => "sticker",
        (_, Some(true)) => "voice",
        _ => {
            return Err(wrong(
                "nothing is sent: text, photo, album, contact, location, sticker, voice or document",
            ));
        }
    };
    let bytes = Bytes::from_static(files::PICTURE);
    let mime = if kind == "voice" { "audio/ogg" } else { "image/webp" };
    Ok(api::made(world, kind, kind, mime, bytes))
}

fn picture(world: &mut World, said: &Value) -> Result<Content, Cannot> {
    let bytes = match said {
        Value::Bool(true) => Bytes::from_static(files::PICTURE),
        other => decoded(other).ok_or_else(|| {
            wrong("a photo is `true`, for one that is made up, or the bytes of one in base64, not its name or address")
        })?,
    };
    if !files::is_picture(&bytes) {
        return Err(wrong("that is no picture: a photo is a PNG or a JPEG"));
    }
    Ok(api::made(world, "photo", "photo.jpg", "image/jpeg", bytes))
}

fn file(world: &mut World, said: &Value) -> Result<Content, Cannot> {
    let bytes = decoded(&said["base64"]).ok_or_else(|| {
        wrong(r#"a document is an object with its bytes in base64, such as {"name":"hi.txt","base64":"aGk="}"#)
    })?;
    let name = said["name"].as_str().unwrap_or("file.bin");
    let mime = "application/octet-stream";
    Ok(api::made(world, "document", name, mime, bytes))
}

/// What base64 says, also with the head of a data URL; nothing where that is none.
fn decoded(said: &Value) -> Option<Bytes> {
    let text = said.as_str()?;
    let text = text.rsplit(',').next().unwrap_or(text);
    STANDARD.decode(text.trim()).ok().map(Bytes::from)
}

/// Somebody changes what they wrote. Where nothing changes, nobody hears of it.
pub(crate) fn edit(
    world: &mut World,
    from: i64,
    chat: Option<i64>,
    id: i64,
    words: &str,
) -> Result<Option<i64>, Cannot> {
    let (person, chat) = present(world, from, chat)?;
    let entry = world.chats.room(chat.id).message(id);
    let entry = entry.filter(|entry| match &entry.message.from {
        Some(user) => user.id == from,
        None => !entry.by_bot,
    });
    let entry =
        entry.ok_or_else(|| missing(format!("there is no message {id} of theirs in that chat")))?;
    let old = entry.message.clone();
    let content = match old.content.has_media() {
        true => old.content.clone().captioned(text::typed(words.trim())),
        false => {
            sayable(words)?;
            Content::of_text(text::typed(words.trim()))
        }
    };
    if content == old.content {
        return Ok(None);
    }
    appear(world, &person, &chat)?;
    let message = Message { content, edit_date: Some(world.date()), ..old };
    if let Some(entry) = world.chats.room(chat.id).message_mut(id) {
        entry.message = message.clone();
        entry.edited = true;
    }
    world.tell_message("edited", chat.id, id);
    let kind = match chat.is_channel() {
        true => kind::EDITED_CHANNEL_POST.of(chat.id),
        false => kind::EDITED_MESSAGE.of(chat.id),
    };
    Ok(world.enqueue(kind, chat.id, &message))
}
