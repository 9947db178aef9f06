//! A photo, or an album, and the caption to it.
//!
//! ```text
//! ‹photo›                       → What shall the caption be?  [No caption]
//! Our new boiler                → Thank you! A photo: “Our new boiler”.
//! ```
//! The parts of an album come one by one. They are gathered for a moment and asked about once; a part that comes later still is
//! added in silence.
//!
//! It is for everybody, also for strangers, and says so by naming no roles: a customer shows the company what is broken before
//! anybody has invited them. Nothing is given away for it. What is kept is Telegram's id of a photo and a caption of a bounded
//! length, under the number of whoever sent it, as long as the retention of photos says; nobody is told and nothing is answered
//! but thanks. Whatever else the company does is behind a role.

use crate::records::photo::{AddPhoto, KeepPhotos};
use steadfast::dialogue::prelude::*;

/// How long to wait for the next part of an album.
const GATHER: Duration = Duration::from_millis(1500);
/// What Telegram takes as a caption.
const MAX_CAPTION: usize = 1024;

/// A photo, or an album, and the caption to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum PhotoFlow {
    /// The photo itself.
    Shot,
    /// The rest of an album: a moment, not an answer.
    Album {
        /// Telegram's id of it.
        album: String,
        /// What came so far.
        photos: Vec<String>,
        /// The caption, if a part brought one.
        caption: Option<String>,
    },
    /// The caption.
    Caption {
        /// The album, whose late parts are added.
        album: Option<String>,
        /// What it is the caption to.
        photos: Vec<String>,
    },
}

impl Flow for PhotoFlow {
    const NAME: &'static str = "photo";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Command(command) if command.name == "photo" => Some(goto(Self::Shot)),
            Input::Link(_) => Some(goto(Self::Shot)),
            Input::Photo(photo) if turn.is_late(photo) => Some(late(photo)),
            Input::Photo(photo) => Some(received(photo)),
            _ => None,
        }
    }

    fn ask(&self, _view: &Context) -> Prompt {
        match self {
            Self::Shot | Self::Album { .. } => say("photo-ask"),
            Self::Caption { photos, .. } => {
                say(text("photo-ask-caption").with("count", photos.len()))
                    .choice("photo-no-caption", "none")
            }
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match self {
            Self::Shot => received(turn.photo("photo-hint")?),
            Self::Album { album, photos, caption } => match &turn.input {
                Input::Photo(part) if part.album.as_ref() == Some(&album) => keep(Self::Album {
                    album,
                    photos: with(photos, part),
                    caption: caption.or(part.caption.clone()),
                }),
                Input::Photo(part) if turn.is_late(part) => {
                    keep(Self::Album { album, photos, caption })
                }
                _ => finish(Some(album), photos, Some(caption_of(turn)?)),
            },
            Self::Caption { album, photos } => match &turn.input {
                Input::Photo(part) if part.album.is_some() && part.album == album => {
                    keep(Self::Caption { album, photos: with(photos, part) })
                }
                Input::Photo(part) if turn.is_late(part) => keep(Self::Caption { album, photos }),
                Input::Choice(_) => finish(album, photos, None),
                _ => finish(album, photos, Some(caption_of(turn)?)),
            },
        })
    }

    fn back(self) -> Option<Self> {
        match self {
            Self::Caption { .. } => Some(Self::Shot),
            Self::Shot | Self::Album { .. } => None,
        }
    }

    fn ttl(&self) -> Duration {
        Duration::from_secs(600)
    }

    fn remind(&self, _view: &Context) -> Option<(Duration, Prompt)> {
        let words = match self {
            Self::Shot | Self::Album { .. } => "photo-remind",
            Self::Caption { .. } => "photo-remind-caption",
        };
        Some((Duration::from_secs(300), say(words)))
    }

    fn pause(&self) -> Option<Duration> {
        match self {
            Self::Album { .. } => Some(GATHER),
            Self::Shot | Self::Caption { .. } => None,
        }
    }

    fn resume(self, _view: &Context) -> Step<Self> {
        match self {
            Self::Album { album, photos, caption } => gathered(Some(album), photos, caption),
            other @ (Self::Shot | Self::Caption { .. }) => keep(other),
        }
    }
}

/// The first photo: an album is gathered, a caption sent along is taken.
fn received(photo: &Photo) -> Step<PhotoFlow> {
    let photos = vec![photo.file_id.clone()];
    let caption = photo.caption.clone();
    match photo.album.clone() {
        Some(album) => keep(PhotoFlow::Album { album, photos, caption }),
        None => gathered(None, photos, caption),
    }
}

/// All that came is here: a caption is taken if one came along, and asked for if none did, or one that is longer than may be typed.
fn gathered(
    album: Option<String>,
    photos: Vec<String>,
    caption: Option<String>,
) -> Step<PhotoFlow> {
    match caption.map(fitting) {
        Some(Ok(caption)) => finish(album, photos, Some(caption)),
        Some(Err(Hint(too_long))) => goto(PhotoFlow::Caption { album, photos }).say(too_long),
        None => goto(PhotoFlow::Caption { album, photos }),
    }
}

fn with(mut photos: Vec<String>, part: &Photo) -> Vec<String> {
    photos.push(part.file_id.clone());
    photos
}

/// A part of an album that comes when all was said is added in silence, if the album was kept.
fn late(part: &Photo) -> Step<PhotoFlow> {
    match part.album.clone() {
        Some(album) => done().record(AddPhoto { album, photo: part.file_id.clone() }),
        None => done(),
    }
}

fn caption_of(turn: &Turn) -> Result<String, Hint> {
    fitting(turn.text("photo-caption-hint")?)
}

/// The caption, unless it is too long.
fn fitting(caption: String) -> Result<String, Hint> {
    match caption.chars().count() {
        length if length > MAX_CAPTION => {
            Err(hint(text("photo-caption-long").with("max", MAX_CAPTION)))
        }
        _ => Ok(caption),
    }
}

/// Keeps them, and says so. A caption that no database keeps as it stands is kept as far as it goes.
fn finish(album: Option<String>, photos: Vec<String>, caption: Option<String>) -> Step<PhotoFlow> {
    let count = photos.len();
    let caption = caption.map(|caption| caption.replace('\0', ""));
    let thanks = match &caption {
        Some(caption) => text("photo-done").with("caption", caption.as_str()),
        None => text("photo-done-plain"),
    };
    done().record(KeepPhotos { photos, caption, album }).say(thanks.with("count", count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;
    use steadfast::dialogue::{Repertoire, TestChat};

    fn bot() -> Repertoire {
        flows::all()
    }

    fn chat(bot: &Repertoire) -> TestChat<'_> {
        let mut chat = TestChat::new(bot, flows::edges());
        chat.knows(read("unfinished_profile", ""), ());
        chat
    }

    #[test]
    fn a_caption_must_be_text() {
        let caption = PhotoFlow::Caption { album: None, photos: vec!["p".into()] };
        let sticker = Input::Other("sticker").into();
        assert_eq!(caption.answer(&sticker), Err(hint("photo-caption-hint")));
    }

    #[test]
    fn a_photo_is_asked_about_and_its_caption_taken() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("p", None, None).at("photo/caption").hears("caption");
        chat.types("Our new boiler").at("idle").hears("“Our new boiler”");
        chat.records(KeepPhotos {
            photos: vec!["p".to_owned()],
            caption: Some("Our new boiler".to_owned()),
            album: None,
        });
    }

    #[test]
    fn a_photo_is_asked_about_in_russian_too() {
        let bot = bot();
        let mut chat = chat(&bot).in_language("ru");
        chat.sends_photo("p", None, None).hears("подпись");
        chat.types("Новый котёл").hears("«Новый котёл»");
    }

    #[test]
    fn a_caption_sent_with_the_photo_is_taken() {
        let bot = bot();
        chat(&bot).sends_photo("p", None, Some("receipt")).at("idle").hears("“receipt”");
    }

    /// Telegram lets some people write longer ones than others.
    #[test]
    fn a_caption_that_comes_along_and_is_too_long_is_asked_for_anew() {
        let bot = bot();
        let (long, most) = ("x".repeat(1025), "я".repeat(1024));
        let mut one = chat(&bot);
        one.sends_photo("p", None, Some(&long))
            .at("photo/caption")
            .hears("at most 1024")
            .hears("What shall the caption be?");
        one.types("Shorter").at("idle").hears("“Shorter”");
        let mut album = chat(&bot);
        album
            .sends_photo("a", Some("7"), Some(&long))
            .sends_photo("b", Some("7"), None)
            .waits(GATHER);
        album.at("photo/caption").hears("at most 1024").hears("2 photos");
        chat(&bot).sends_photo("p", None, Some(&most)).at("idle").hears(&most);
    }

    #[test]
    fn a_photo_that_was_asked_for_may_bring_its_caption() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.types("/photo")
            .at("photo/shot")
            .sends_photo("p", None, Some("receipt"))
            .at("idle")
            .hears("“receipt”");
    }

    #[test]
    fn a_photo_may_go_without_a_caption() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.types("/photo").at("photo/shot").sends_photo("p", None, None);
        chat.presses("No caption").at("idle").hears("Thank you!");
    }

    #[test]
    fn an_album_is_asked_about_once() {
        let bot = bot();
        let mut chat = chat(&bot);
        for part in ["a", "b", "c"] {
            chat.sends_photo(part, Some("7"), None).at("photo/album").hears_nothing();
        }
        chat.waits(GATHER).at("photo/caption").hears("3 photos");
        chat.types("Holiday").at("idle").hears("3 photos: “Holiday”");
        chat.records(KeepPhotos {
            photos: ["a", "b", "c"].map(str::to_owned).into(),
            caption: Some("Holiday".to_owned()),
            album: Some("7".to_owned()),
        });
    }

    #[test]
    fn an_album_with_a_caption_needs_no_question() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.types("/photo").sends_photo("a", Some("7"), Some("Holiday")).sends_photo(
            "b",
            Some("7"),
            None,
        );
        chat.waits(GATHER).at("idle").hears("2 photos: “Holiday”");
    }

    #[test]
    fn a_caption_typed_while_an_album_comes_in_is_taken() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("a", Some("7"), None).types("Quick").at("idle").hears("“Quick”");
    }

    #[test]
    fn a_late_part_of_an_album_is_added_and_never_asked_about() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("a", Some("7"), None).waits(GATHER).at("photo/caption");
        chat.sends_photo("b", Some("7"), None).at("photo/caption").hears_nothing();
        chat.types("Both").hears("2 photos: “Both”");
        chat.sends_photo("c", Some("7"), None).at("idle").hears_nothing();
        let (album, photo) = ("7".to_owned(), "c".to_owned());
        chat.records(AddPhoto { album, photo });
    }

    #[test]
    fn another_photo_in_place_of_a_caption_gets_a_hint() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("a", None, None)
            .sends_photo("b", None, None)
            .at("photo/caption")
            .hears("caption");
        chat.types(&"x".repeat(1025)).at("photo/caption").hears("1024");
    }

    #[test]
    fn another_album_in_place_of_a_caption_gets_one_hint() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("a", None, None);
        chat.sends_photo("b", Some("9"), None).hears("caption");
        chat.sends_photo("c", Some("9"), None).at("photo/caption").hears_nothing();
        chat.types("Mine").hears("A photo: “Mine”");
    }

    #[test]
    fn there_is_a_way_back_to_the_photo() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("a", None, None)
            .types("/back")
            .at("photo/shot")
            .types("/back")
            .hears("no way back");
        chat.types("not a photo").at("photo/shot").hears("photo");
    }

    #[test]
    fn who_begins_where_they_are_is_waited_for_and_reminded_anew() {
        let bot = bot();
        let mut chat = chat(&bot);
        for _ in 0..2 {
            chat.types("/photo")
                .at("photo/shot")
                .waits(Duration::from_secs(400))
                .at("photo/shot")
                .hears("I am still here for your photo.");
        }
        chat.waits(Duration::from_secs(201)).at("idle");
    }

    #[test]
    fn an_unanswered_question_reminds_then_waits_aside_then_is_forgotten() {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.sends_photo("a", None, None)
            .waits(Duration::from_secs(301))
            .at("photo/caption")
            .hears("I have your photo")
            .hears("What shall the caption be?");
        chat.waits(Duration::from_secs(300)).at("idle").hears("Continue where you stopped?");
        chat.presses("Continue").at("photo/caption").types("Late").at("idle");
        chat.sends_photo("b", None, None).waits(Duration::from_secs(25 * 3600)).at("idle");
        assert!(chat.dialogue().parked.is_empty());
    }
}
