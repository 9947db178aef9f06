//! `getFile`, and files that come with a call.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{Answer, Refusal};
use crate::message::{Content, Media};
use crate::params::{Params, Upload};
use crate::world::World;

/// The largest file that can be downloaded.
const MOST_DOWN: usize = 20 << 20;
/// The largest that can be sent, and the largest picture.
const MOST_UP: usize = 50 << 20;
const MOST_PICTURE: usize = 10 << 20;

pub(super) fn get(world: &World, params: &Params) -> Answer {
    let id = params.text("file_id").unwrap_or_default();
    if id.is_empty() {
        return Err(Refusal::bad("file_id not specified"));
    }
    let invalid = "wrong file_id or the file is temporarily unavailable";
    let file = world.files.get(&id).ok_or_else(|| Refusal::bad(invalid))?;
    if file.size > MOST_DOWN {
        return Err(Refusal::bad("file is too big"));
    }
    Ok(json!({
        "file_id": id, "file_unique_id": file.unique, "file_size": file.size, "file_path": file.path,
    }))
}

/// Makes the content of a message of this kind from a parameter: a file that came with the call, `attach://` to one, the id of
/// one that is known, or an address.
pub(super) fn content(
    world: &mut World,
    params: &Params,
    kind: &str,
    name: &str,
    said: Option<&str>,
) -> Result<Content, Refusal> {
    let upload = match said.and_then(|said| said.strip_prefix("attach://")) {
        Some(attached) => params.files.get(attached),
        None => params.files.get(name),
    };
    match (upload, said) {
        (Some(upload), _) => uploaded(world, kind, upload),
        (None, Some(id)) if world.files.get(id).is_some() => {
            fitting(world, kind, id)?;
            Ok(known(world, kind, id))
        }
        (None, Some(url)) if url.starts_with("http://") || url.starts_with("https://") => {
            Ok(fetched(world, kind, url))
        }
        (None, Some(said)) if !said.is_empty() => unknown(world, kind),
        _ => Err(Refusal::bad(format!("there is no {kind} in the request"))),
    }
}

fn uploaded(world: &mut World, kind: &str, upload: &Upload) -> Result<Content, Refusal> {
    if upload.bytes.is_empty() {
        return Err(Refusal::bad("file must be non-empty"));
    }
    let most = if kind == "photo" { MOST_PICTURE } else { MOST_UP };
    if upload.bytes.len() > most {
        let most = most >> 20;
        return Err(Refusal::bad(format!(
            "file of size {} bytes is too big for a {kind}; the maximum size is {most} MB",
            upload.bytes.len()
        )));
    }
    let is_named = upload.mime != "application/octet-stream";
    let mime = if is_named { upload.mime.as_str() } else { usual(kind) };
    Ok(made(world, kind, &upload.name, mime, upload.bytes.clone()))
}

/// What is at that address is not looked at: nothing here goes out into the world.
fn fetched(world: &mut World, kind: &str, url: &str) -> Content {
    let name = url.rsplit('/').next().unwrap_or_default();
    let bytes = Bytes::from_static(crate::files::PICTURE);
    made(world, kind, name, usual(kind), bytes)
}

/// An id that nobody has seen is taken for a file from another life, where that is how it was set up.
fn unknown(world: &mut World, kind: &str) -> Result<Content, Refusal> {
    let invalid = "wrong file identifier/HTTP URL specified";
    if !world.trusting {
        return Err(Refusal::bad(invalid));
    }
    let bytes = Bytes::from_static(crate::files::PICTURE);
    Ok(made(world, kind, "file", usual(kind), bytes))
}

/// Keeps a file, and makes a message of it.
pub(crate) fn made(world: &mut World, kind: &str, name: &str, mime: &str, bytes: Bytes) -> Content {
    if kind == "photo" {
        let photo = world.files.add_picture(bytes);
        return Content { photo, ..Content::default() };
    }
    let media = world.files.add(kind, name, mime, bytes);
    placed(kind, media)
}

/// Whether a known file can be sent as this: a picture only as one, and nothing else as a picture.
fn fitting(world: &World, kind: &str, id: &str) -> Result<(), Refusal> {
    let path = world.files.get(id).map(|file| file.path.as_str());
    let folder = path.and_then(|path| path.split_once("s/"));
    let is = folder.map_or(kind, |(folder, _)| folder);
    if is == kind || ![is, kind].contains(&"photo") {
        return Ok(());
    }
    let (is, kind) = (type_name(is), type_name(kind));
    let words = format!("can't use file of type {is} as {kind}");
    Err(Refusal::bad(words))
}

/// What Telegram calls files of this kind among themselves.
fn type_name(kind: &str) -> &'static str {
    match kind {
        "photo" => "Photo",
        "video" => "Video",
        "animation" => "Animation",
        "audio" => "Audio",
        "voice" => "VoiceNote",
        "sticker" => "Sticker",
        _ => "Document",
    }
}

fn known(world: &World, kind: &str, id: &str) -> Content {
    if kind == "photo" {
        let photo = world.files.sizes(id);
        return Content { photo, ..Content::default() };
    }
    let file = world.files.get(id);
    let media = Media {
        file_id: id.to_owned(),
        file_unique_id: file.map(|file| file.unique.clone()).unwrap_or_default(),
        file_size: file.map_or(0, |file| file.size),
        file_name: file.map(|file| file.name.clone()),
        mime_type: file.map(|file| file.mime.clone()),
        ..Media::default()
    };
    placed(kind, media)
}

fn placed(kind: &str, mut media: Media) -> Content {
    let mut content = Content::default();
    match kind {
        "voice" | "audio" => media.duration = Some(2),
        "video" | "animation" => {
            (media.width, media.height, media.duration) = (Some(320), Some(240), Some(2));
        }
        "sticker" => {
            (media.width, media.height, media.mime_type, media.file_name) =
                (Some(512), Some(512), None, None);
            media.more = sticker();
        }
        _ => {}
    }
    match kind {
        "voice" => content.voice = Some(media),
        "audio" => content.audio = Some(media),
        "video" => content.video = Some(media),
        "animation" => content.animation = Some(media),
        "sticker" => content.sticker = Some(media),
        _ => content.document = Some(media),
    }
    content
}

fn sticker() -> Map<String, Value> {
    let more =
        json!({ "type": "regular", "is_animated": false, "is_video": false, "emoji": "\u{1f44d}" });
    more.as_object().cloned().unwrap_or_default()
}

fn usual(kind: &str) -> &'static str {
    match kind {
        "photo" => "image/jpeg",
        "video" | "animation" => "video/mp4",
        "audio" => "audio/mpeg",
        "voice" => "audio/ogg",
        "sticker" => "image/webp",
        _ => "application/octet-stream",
    }
}
