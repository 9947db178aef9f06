//! Files: what people and the bot send, and how it is asked for again.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::message::Media;

/// A small picture, for people who have none at hand.
pub(super) const PICTURE: &[u8] = include_bytes!("files/picture.png");

/// The sizes that a picture is kept in: the letter of each, and its longest side.
const SIZES: [(&str, u32); 4] = [("s", 90), ("m", 320), ("x", 800), ("y", 1280)];

/// What is known of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) unique: String,
    /// Where it is downloaded from.
    pub(super) path: String,
    pub(super) size: usize,
    pub(super) mime: String,
    pub(super) name: String,
    /// Width and height of a picture.
    pub(super) shape: (u32, u32),
    /// Which content it is; a picture has several sizes of the same.
    pub(super) content: u64,
}

/// All files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Files {
    last: u64,
    known: BTreeMap<String, File>,
    #[serde(skip)]
    contents: BTreeMap<u64, Bytes>,
    /// What came since all of it was last asked for.
    #[serde(skip)]
    touched: Vec<String>,
}

impl Files {
    /// Keeps a picture in several sizes, small to large; they differ by what is said of them alone. The largest is the picture
    /// itself, unless that is larger than Telegram keeps any.
    pub(super) fn add_picture(&mut self, bytes: Bytes) -> Vec<Media> {
        let (width, height) = shape(&bytes).unwrap_or((1280, 960));
        let content = self.keep(bytes);
        let longest = width.max(height).max(1);
        let smaller = SIZES.iter().filter(|(_, most)| *most < longest).count();
        let fitting = SIZES.into_iter().take(smaller + 1);
        fitting
            .map(|(letter, most)| {
                let most = most.min(longest);
                let scaled = |side: u32| {
                    let side = u64::from(side) * u64::from(most) / u64::from(longest);
                    u32::try_from(side).unwrap_or(u32::MAX).max(1)
                };
                self.describe(
                    content,
                    letter,
                    "photos",
                    "photo.jpg",
                    "image/jpeg",
                    (scaled(width), scaled(height)),
                )
            })
            .collect()
    }

    /// Keeps any other file.
    pub(super) fn add(&mut self, kind: &str, name: &str, mime: &str, bytes: Bytes) -> Media {
        let content = self.keep(bytes);
        let mut media = self.describe(content, "d", &format!("{kind}s"), name, mime, (0, 0));
        (media.width, media.height) = (None, None);
        media.mime_type = Some(mime.to_owned());
        media.file_name =
            (kind == "document" || kind == "audio" || kind == "video").then(|| name.to_owned());
        media
    }

    fn keep(&mut self, bytes: Bytes) -> u64 {
        self.last += 1;
        self.contents.insert(self.last, bytes);
        self.last
    }

    fn describe(
        &mut self,
        content: u64,
        size: &str,
        folder: &str,
        name: &str,
        mime: &str,
        shape: (u32, u32),
    ) -> Media {
        let length = self.contents.get(&content).map_or(0, Bytes::len);
        let suffix = name.rsplit_once('.').map_or("bin", |(_, suffix)| suffix);
        let file_id = format!("{}{:08x}{size}", beginning(content), rand::random::<u32>());
        let file = File {
            unique: format!("AQAD{content:08}{size}"),
            path: format!("{folder}/file_{content}{size}.{suffix}"),
            size: length,
            mime: mime.to_owned(),
            name: name.to_owned(),
            shape,
            content,
        };
        let media = Media {
            file_id: file_id.clone(),
            file_unique_id: file.unique.clone(),
            file_size: length,
            width: Some(shape.0),
            height: Some(shape.1),
            ..Media::default()
        };
        self.touched.push(file_id.clone());
        self.known.insert(file_id, file);
        media
    }

    /// What is new since this was last asked, without the contents.
    pub(super) fn news(&mut self) -> Self {
        let touched = std::mem::take(&mut self.touched).into_iter();
        let known = touched.filter_map(|id| self.known.get_key_value(&id));
        Self {
            last: self.last,
            known: known.map(|(id, file)| (id.clone(), file.clone())).collect(),
            ..Self::default()
        }
    }

    /// Takes that in.
    pub(super) fn learn(&mut self, news: Self) {
        self.known.extend(news.known);
        self.last = self.last.max(news.last);
    }

    /// The number of the last content.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Forgets what came after the content of this number: it never became a message.
    pub(super) fn forget_after(&mut self, last: u64) {
        if self.last == last {
            return;
        }
        self.last = last;
        self.contents.split_off(&(last + 1));
        self.known.retain(|_, file| file.content <= last);
        self.touched.retain(|id| self.known.contains_key(id));
    }

    /// A file by what it is asked for by.
    pub(super) fn get(&self, id: &str) -> Option<&File> {
        self.known.get(id)
    }

    /// The sizes of the picture that this is a size of.
    pub(super) fn sizes(&self, id: &str) -> Vec<Media> {
        let Some(asked) = self.known.get(id) else {
            return Vec::new();
        };
        let mut sizes: Vec<Media> = self
            .of(asked.content)
            .map(|(id, file)| Media {
                file_id: id.clone(),
                file_unique_id: file.unique.clone(),
                file_size: file.size,
                width: Some(file.shape.0),
                height: Some(file.shape.1),
                ..Media::default()
            })
            .collect();
        sizes.sort_by_key(|size| (size.width, size.height));
        sizes
    }

    /// What is in a file.
    pub(super) fn bytes(&self, file: &File) -> Option<Bytes> {
        self.contents.get(&file.content).cloned()
    }

    /// A file by where it is downloaded from, which names its content.
    pub(super) fn by_path(&self, path: &str) -> Option<&File> {
        let (_, name) = path.rsplit_once("/file_")?;
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let content = name[..digits].parse().ok()?;
        let mut same = self.of(content);
        same.find_map(|(_, file)| (file.path == path).then_some(file))
    }

    /// The files that have this content.
    fn of(&self, content: u64) -> impl Iterator<Item = (&String, &File)> {
        let from = self.known.range(beginning(content)..);
        from.take_while(move |(_, file)| file.content == content)
    }

    /// Every content after this one, by its number.
    pub(super) fn contents_after(&self, number: u64) -> impl Iterator<Item = (u64, &Bytes)> {
        let after = self.contents.range(number + 1..);
        after.map(|(number, bytes)| (*number, bytes))
    }

    /// The contents that some file has.
    pub(super) fn known_contents(&self) -> HashSet<u64> {
        self.known.values().map(|file| file.content).collect()
    }

    /// Puts a content back that was written down.
    pub(super) fn restore(&mut self, content: u64, bytes: Bytes) {
        self.contents.insert(content, bytes);
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.contents.clear();
        self.touched.clear();
    }
}

/// What the ids of all files with a content begin with: they stand side by side.
fn beginning(content: u64) -> String {
    format!("AgACAgIAAxkBAAI{content:08}")
}

/// Whether this is a PNG or a JPEG, as far as its head tells.
pub(super) fn is_picture(bytes: &[u8]) -> bool {
    shape(bytes).is_some_and(|(width, height)| width > 0 && height > 0)
}

/// Width and height of a PNG or a JPEG.
fn shape(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize, long: usize| {
        let digits = bytes.get(at..at + long)?;
        Some(digits.iter().fold(0, |number, digit| (number << 8) | u32::from(*digit)))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((number(16, 4)?, number(20, 4)?));
    }
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return None;
    }
    let mut at = 2;
    loop {
        let marker = number(at, 2)?;
        if (0xffc0..=0xffc3).contains(&marker) {
            return Some((number(at + 7, 2)?, number(at + 5, 2)?));
        }
        at += 2 + number(at + 2, 2)? as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_sizes_from_small_to_large() {
        let mut files = Files::default();
        let sizes = files.add_picture(Bytes::from_static(PICTURE));
        let widths: Vec<_> = sizes.iter().map(|size| size.width).collect();
        assert_eq!(widths, [Some(90), Some(320)]);
        assert_eq!(files.sizes(&sizes[0].file_id), sizes);
    }

    /// A picture of this shape, as far as is looked at.
    fn picture(width: u32, height: u32) -> Bytes {
        let mut picture = PICTURE.to_vec();
        picture[16..20].copy_from_slice(&width.to_be_bytes());
        picture[20..24].copy_from_slice(&height.to_be_bytes());
        Bytes::from(picture)
    }

    #[test]
    fn the_largest_size_is_the_picture_itself() {
        for ((width, height), expected) in [
            ((60, 40), vec![(60, 40)]),
            ((90, 90), vec![(90, 90)]),
            ((300, 200), vec![(90, 60), (300, 200)]),
            ((100, 1200), vec![(7, 90), (26, 320), (66, 800), (100, 1200)]),
            ((2560, 1280), vec![(90, 45), (320, 160), (800, 400), (1280, 640)]),
        ] {
            let sizes = Files::default().add_picture(picture(width, height));
            let shapes = sizes.iter().map(|it| it.width.zip(it.height));
            let shapes: Vec<_> = shapes.flatten().collect();
            assert_eq!(shapes, expected);
        }
    }

    #[test]
    fn however_many_pictures_there_are_one_more_is_small_news() {
        let mut files = Files::default();
        let send = |files: &mut Files| files.add_picture(Bytes::from_static(PICTURE));
        let before: Vec<_> = (0..100).flat_map(|_| send(&mut files)).collect();
        let mut written = Files::default();
        written.learn(files.news());
        let sizes = send(&mut files);
        let news = files.news();
        assert_eq!(news.known.len(), sizes.len());
        written.learn(news);
        assert!(before.iter().chain(&sizes).all(|it| written.get(&it.file_id).is_some()));
        assert_eq!(written.sizes(&sizes[1].file_id), sizes);
    }

    #[test]
    fn a_file_is_found_by_where_it_is_downloaded_from() {
        let mut files = Files::default();
        for _ in 0..20 {
            files.add_picture(Bytes::from_static(PICTURE));
        }
        let media = files.add("document", "plan.pdf", "application/pdf", Bytes::new());
        let path = files.get(&media.file_id).expect("a file").path.clone();
        assert_eq!(path, "documents/file_21d.pdf");
        assert_eq!(files.by_path(&path).map(|file| file.content), Some(21));
        for wrong in ["documents/file_22d.pdf", "photos/file_21d.pdf", "file_", "a/file_x"] {
            assert!(files.by_path(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_picture_that_says_it_is_huge_is_one_like_any_other() {
        let sizes = Files::default().add_picture(picture(u32::MAX, 200));
        assert_eq!(sizes.last().and_then(|size| size.width), Some(1280));
    }
}
