//! Telegram's HTML: what people wrote is escaped by type, and long texts are cut where it hurts least.
//!
//! The texts of the program may carry tags (`<b>`, `<i>`, `<u>`, `<s>`, `<code>`, `<pre>`, `<a href="…">`); whatever is put into them is
//! escaped, so that nobody's name can break or inject formatting.

/// What Telegram takes as one message, in UTF-16 units after the tags are taken out.
pub const MAX_TEXT: usize = 4096;
/// What Telegram takes as the caption of a photo.
pub(super) const MAX_CAPTION: usize = 1024;

/// The longest entity there is: `&quot;`, or a number.
const MAX_ENTITY: usize = 10;

/// Makes words safe to stand in a marked-up text.
pub(super) fn escape(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// How long a marked-up text is for Telegram.
pub(super) fn length(text: &str) -> usize {
    pieces(text).map(|piece| piece.units()).sum()
}

/// Cuts a marked-up text into parts of at most `most` units: between paragraphs if it can, else between lines, sentences or words.
/// Tags that are open at a cut are closed there and opened again in the next part. A part without a word is left out: Telegram takes no
/// such message.
pub(super) fn split(text: &str, most: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim().to_owned();
    while length(&rest) > most {
        let cut = best_cut(&rest, most);
        let (part, tail) = rest.split_at(cut);
        let open = open_tags(part);
        let close: String = open.iter().rev().map(|tag| format!("</{}>", name(tag))).collect();
        if !is_blank(part) {
            parts.push(format!("{}{close}", part.trim_end()));
        }
        rest = format!("{}{}", open.concat(), tail.trim_start());
    }
    if parts.is_empty() || !is_blank(&rest) {
        parts.push(rest);
    }
    parts
}

/// Whether there is nothing to be seen in a marked-up text.
fn is_blank(text: &str) -> bool {
    pieces(text).all(|piece| match piece {
        Piece::Tag(_) => true,
        Piece::Entity(_) => false,
        Piece::Char(c) => c.trim().is_empty(),
    })
}

/// The byte at which to cut so that at most `most` units come before it.
fn best_cut(text: &str, most: usize) -> usize {
    let mut units = 0;
    let mut at = 0;
    let mut cuts = [0_usize; 4];
    let mut hard = 0;
    for piece in pieces(text) {
        units += piece.units();
        if units > most {
            break;
        }
        at += piece.source().len();
        if let Some(rank) = rank(&text[..at], &text[at..]) {
            cuts[rank] = at;
        }
        hard = at;
    }
    // A cut that would leave most of the room unused is no better than the next worse one.
    let least = hard / 3;
    cuts.into_iter().find(|cut| *cut > least).unwrap_or(hard.max(first_piece(text)))
}

/// How good a place for a cut is: after a paragraph, a line, a sentence, a word.
fn rank(before: &str, after: &str) -> Option<usize> {
    if before.ends_with("\n\n") {
        Some(0)
    } else if before.ends_with('\n') {
        Some(1)
    } else if before.ends_with(['.', '!', '?', '…']) && after.starts_with(char::is_whitespace) {
        Some(2)
    } else if before.ends_with(char::is_whitespace) {
        Some(3)
    } else {
        None
    }
}

fn first_piece(text: &str) -> usize {
    pieces(text).next().map_or(text.len(), |piece| piece.source().len())
}

/// The tags that are open at the end of this text, outermost first, as they were written.
fn open_tags(text: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Tag(tag) if tag.starts_with("</") => drop(open.pop()),
            Piece::Tag(tag) => open.push(tag.to_owned()),
            Piece::Entity(_) | Piece::Char(_) => {}
        }
    }
    open
}

/// The name of a tag: `a` of `<a href="…">`.
fn name(tag: &str) -> &str {
    let inner = tag.trim_start_matches('<').trim_end_matches('>');
    inner.split_whitespace().next().unwrap_or_default()
}

/// What a marked-up text is made of. None of it may be cut.
enum Piece<'a> {
    Tag(&'a str),
    Entity(&'a str),
    Char(&'a str),
}

impl<'a> Piece<'a> {
    fn source(&self) -> &'a str {
        match self {
            Self::Tag(source) | Self::Entity(source) | Self::Char(source) => source,
        }
    }

    fn units(&self) -> usize {
        match self {
            Self::Tag(_) => 0,
            Self::Entity(_) => 1,
            Self::Char(c) => c.chars().map(char::len_utf16).sum(),
        }
    }
}

fn pieces(mut text: &str) -> impl Iterator<Item = Piece<'_>> {
    std::iter::from_fn(move || {
        let first = text.chars().next()?;
        let end =
            |mark: char, most: usize| text.find(mark).map(|at| at + 1).filter(|end| *end <= most);
        let (tag, entity) = match first {
            '<' => (end('>', usize::MAX), None),
            '&' => (None, end(';', MAX_ENTITY)),
            _ => (None, None),
        };
        let (piece, rest) = text.split_at(tag.or(entity).unwrap_or(first.len_utf8()));
        text = rest;
        Some(match (tag, entity) {
            (Some(_), _) => Piece::Tag(piece),
            (_, Some(_)) => Piece::Entity(piece),
            _ => Piece::Char(piece),
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_people_write_cannot_be_markup() {
        assert_eq!(escape("<b>Tom</b> & Jerry"), "&lt;b&gt;Tom&lt;/b&gt; &amp; Jerry");
        assert_eq!(length(&escape("<&>")), 3);
    }

    #[test]
    fn a_short_text_stays_whole() {
        assert_eq!(split("Hello, <b>you</b>", 100), ["Hello, <b>you</b>"]);
    }

    #[test]
    fn a_long_text_is_cut_between_paragraphs_then_lines_then_words() {
        assert_eq!(split("one two\n\nthree four", 12), ["one two", "three four"]);
        assert_eq!(split("one two\nthree four", 12), ["one two", "three four"]);
        assert_eq!(split("One two. Three four", 12), ["One two.", "Three four"]);
        assert_eq!(split("one two three", 9), ["one two", "three"]);
        assert_eq!(split("abcdefgh", 3), ["abc", "def", "gh"]);
    }

    #[test]
    fn tags_are_closed_at_a_cut_and_opened_again() {
        let parts = split("<b>one <i>two three</i></b>", 8);
        assert_eq!(parts, ["<b>one <i>two</i></b>", "<b><i>three</i></b>"]);
    }

    #[test]
    fn length_is_counted_as_telegram_counts() {
        assert_eq!(length("<b>ab</b>&amp;😀"), 5);
    }

    #[test]
    fn no_part_is_without_a_word() {
        let word = "a".repeat(MAX_TEXT);
        let only = [format!("<b>{word}</b>")];
        assert_eq!(split(&format!("<b>{word}\n</b>"), MAX_TEXT), only);
        assert_eq!(split(&format!("<b>{word}</b> <i> </i>"), MAX_TEXT), only);
        let late = format!("<i>{}</i>{word}", "\n".repeat(MAX_TEXT));
        assert!(split(&late, MAX_TEXT).iter().all(|part| !is_blank(part)));
        assert_eq!(split(" ", MAX_TEXT), [""], "but there is a part");
    }

    /// Words, and words within tags.
    fn marked() -> impl Strategy<Value = String> {
        let words = "[a-z<&> \\n😀.]{0,40}".prop_map(|words| escape(&words));
        let tagged = |inner: BoxedStrategy<String>| {
            let tag = prop_oneof![Just("b"), Just("i"), Just("code")];
            let whole = prop::collection::vec(inner, 0..6).prop_map(|parts| parts.concat());
            (tag, whole).prop_map(|(tag, whole)| format!("<{tag}>{whole}</{tag}>"))
        };
        let piece = words.prop_recursive(3, 24, 6, tagged);
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    /// What is to be seen of a text.
    fn seen(text: &str) -> String {
        let shown = pieces(text).filter(|piece| !matches!(piece, Piece::Tag(_)));
        let shown: String = shown.map(|piece| piece.source()).collect();
        shown.split_whitespace().collect()
    }

    proptest! {
        #[test]
        fn every_part_fits_and_has_words_and_none_of_them_is_lost(text in marked(), most in 4..60_usize) {
            let parts = split(&text, most);
            prop_assert!(parts.iter().all(|part| length(part) <= most), "{parts:?}");
            prop_assert!(parts.len() == 1 || !parts.iter().any(|part| is_blank(part)), "{parts:?}");
            prop_assert!(parts.iter().all(|part| open_tags(part).is_empty()), "{parts:?}");
            prop_assert_eq!(seen(&parts.concat()), seen(&text));
        }
    }
}
