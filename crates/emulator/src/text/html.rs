//! `parse_mode=HTML`.

use super::{Draft, Formatted};

/// A tag that is open.
struct Open {
    name: String,
    argument: String,
    /// Where it began, in UTF-16 units and in bytes of the text.
    offset: usize,
    start: usize,
}

/// Reads a text with tags.
pub(super) fn read(source: &str) -> Result<Formatted, String> {
    let (mut draft, mut open, mut at) = (Draft::default(), Vec::new(), 0);
    while let Some(first) = source[at..].chars().next() {
        if first == '&'
            && let Some((char, taken)) = reference(&source[at..])
        {
            draft.push(char);
            at += taken;
        } else if first != '<' {
            draft.push(first);
            at += first.len_utf8();
        } else if source[at + 1..].starts_with('/') {
            at = close(source, at, &mut open, &mut draft)?;
        } else {
            let (tag, next) = start(source, at)?;
            let (offset, start) = (draft.units, draft.text.len());
            open.push(Open { offset, start, ..tag });
            at = next;
        }
    }
    match open.pop() {
        Some(tag) => Err(format!("Can't find end tag corresponding to start tag \"{}\"", tag.name)),
        None => Ok(draft.finish()),
    }
}

const TAGS: [&str; 16] = [
    "a",
    "b",
    "strong",
    "i",
    "em",
    "s",
    "strike",
    "del",
    "u",
    "ins",
    "tg-spoiler",
    "tg-emoji",
    "span",
    "pre",
    "code",
    "blockquote",
];

/// Reads a tag that opens; answers it and where the text goes on.
fn start(source: &str, begin: usize) -> Result<(Open, usize), String> {
    let unclosed = || format!("Unclosed start tag at byte offset {begin}");
    let rest = &source[begin + 1..];
    let end = rest.find(|it: char| it.is_whitespace() || it == '>').ok_or_else(unclosed)?;
    let name = rest[..end].to_lowercase();
    if !TAGS.contains(&name.as_str()) {
        return Err(format!("Unsupported start tag \"{name}\" at byte offset {begin}"));
    }
    let (mut argument, mut at) = (String::new(), begin + 1 + end);
    loop {
        at += blanks(&source[at..]);
        match source[at..].chars().next() {
            Some('>') => break,
            None => return Err(unclosed()),
            Some(_) => {}
        }
        let (key, value, next) = attribute(source, at, &name, begin)?;
        if let Some(it) = meant(&name, &key, value) {
            argument = it;
        }
        at = next;
    }
    if name == "span" && argument != "spoiler" {
        return Err(format!("Tag \"span\" must have class \"tg-spoiler\" at byte offset {begin}"));
    }
    let tag = Open { name, argument, offset: 0, start: 0 };
    Ok((tag, at + 1))
}

/// What an attribute says, if it means anything to the tag.
fn meant(tag: &str, key: &str, value: String) -> Option<String> {
    match (tag, key) {
        ("a", "href") | ("tg-emoji", "emoji-id") => Some(value),
        ("code", "class") => value.strip_prefix("language-").map(str::to_owned),
        ("span", "class") => value.strip_prefix("tg-").map(str::to_owned),
        ("blockquote", "expandable") => Some("expandable".to_owned()),
        _ => None,
    }
}

/// Reads an attribute; answers its name, its value and where the tag goes on.
fn attribute(
    source: &str,
    at: usize,
    tag: &str,
    begin: usize,
) -> Result<(String, String, usize), String> {
    let rest = &source[at..];
    let end = rest.find(|it: char| it.is_whitespace() || matches!(it, '=' | '>'));
    let end = end.ok_or_else(|| format!("Unclosed start tag at byte offset {begin}"))?;
    let key = rest[..end].to_lowercase();
    if key.is_empty() {
        return Err(format!("Empty attribute name in the tag \"{tag}\" at byte offset {begin}"));
    }
    let mut at = at + end + blanks(&rest[end..]);
    if !source[at..].starts_with('=') {
        if tag == "blockquote" && key == "expandable" {
            return Ok((key, String::new(), at));
        }
        return Err(format!(
            "Expected equal sign in declaration of an attribute of the tag \"{tag}\" at byte offset {begin}"
        ));
    }
    at += 1;
    at += blanks(&source[at..]);
    let (value, next) = match source[at..].chars().next() {
        None => {
            return Err(format!("Unclosed start tag \"{tag}\" at byte offset {begin}"));
        }
        Some(quote @ ('"' | '\'')) => quoted(source, at + 1, quote, begin)?,
        Some(_) => token(source, at)?,
    };
    Ok((key, value, next))
}

fn quoted(source: &str, at: usize, quote: char, begin: usize) -> Result<(String, usize), String> {
    let end = source[at..].find(quote);
    let end = at + end.ok_or_else(|| format!("Unclosed start tag at byte offset {begin}"))?;
    let (mut value, mut at) = (String::new(), at);
    while at < end {
        let (char, taken) = match reference(&source[at..end]) {
            Some(found) => found,
            None => source[at..].chars().next().map_or((' ', 1), |it| (it, it.len_utf8())),
        };
        value.push(char);
        at += taken;
    }
    Ok((value, end + 1))
}

fn token(source: &str, at: usize) -> Result<(String, usize), String> {
    let rest = &source[at..];
    let end = rest.find(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, '.' | '-')));
    let end = end.unwrap_or(rest.len());
    match rest[end..].chars().next() {
        Some(next) if next.is_whitespace() || next == '>' => {
            Ok((rest[..end].to_lowercase(), at + end))
        }
        _ => Err(format!("Unexpected end of name token at byte offset {at}")),
    }
}

/// Reads a tag that closes; answers where the text goes on.
fn close(
    source: &str,
    begin: usize,
    open: &mut Vec<Open>,
    draft: &mut Draft,
) -> Result<usize, String> {
    let tag = open.pop().ok_or_else(|| format!("Unexpected end tag at byte offset {begin}"))?;
    let unclosed = || format!("Unclosed end tag at byte offset {begin}");
    let rest = &source[begin + 2..];
    let end = rest.find(|it: char| it.is_whitespace() || it == '>').ok_or_else(unclosed)?;
    let name = rest[..end].to_lowercase();
    let after = end + blanks(&rest[end..]);
    if !rest[after..].starts_with('>') {
        return Err(unclosed());
    }
    if !name.is_empty() && name != tag.name {
        return Err(format!(
            "Unmatched end tag at byte offset {begin}, expected \"</{}>\", found \"</{name}>\"",
            tag.name
        ));
    }
    mark(&tag, draft)?;
    Ok(begin + 2 + after + 1)
}

/// What stood in the tag is special.
fn mark(tag: &Open, draft: &mut Draft) -> Result<(), String> {
    let kind = match tag.name.as_str() {
        "b" | "strong" => "bold",
        "i" | "em" => "italic",
        "s" | "strike" | "del" => "strikethrough",
        "u" | "ins" => "underline",
        "tg-spoiler" | "span" => "spoiler",
        "blockquote" if tag.argument == "expandable" => "expandable_blockquote",
        "blockquote" => "blockquote",
        "pre" | "code" => {
            code(tag, draft);
            return Ok(());
        }
        "tg-emoji" => return emoji(tag, draft),
        _ => {
            let url = match tag.argument.is_empty() {
                true => draft.text[tag.start..].to_owned(),
                false => tag.argument.clone(),
            };
            draft.link(tag.offset, &url);
            return Ok(());
        }
    };
    draft.mark(kind, tag.offset);
    Ok(())
}

fn emoji(tag: &Open, draft: &mut Draft) -> Result<(), String> {
    if !tag.argument.parse().is_ok_and(|id: i64| id != 0) {
        return Err("Invalid custom emoji identifier specified".to_owned());
    }
    if let Some(entity) = draft.mark("custom_emoji", tag.offset) {
        entity.custom_emoji_id = Some(tag.argument.clone());
    }
    Ok(())
}

/// Code in a `pre` and nothing else, with a language: one entity.
fn code(tag: &Open, draft: &mut Draft) {
    let length = draft.units - tag.offset;
    let inner = draft.entities.last_mut();
    let inner =
        inner.filter(|it| it.kind == "code" && it.offset == tag.offset && it.length == length);
    match inner {
        Some(entity) if tag.name == "pre" => {
            entity.kind = "pre".to_owned();
        }
        _ => {
            if let Some(entity) = draft.mark(&tag.name, tag.offset) {
                let is_named = tag.name == "code" && !tag.argument.is_empty();
                entity.language = is_named.then(|| tag.argument.clone());
            }
        }
    }
}

fn blanks(rest: &str) -> usize {
    rest.len() - rest.trim_start().len()
}

/// A character by its name or number, and how many bytes that took; nothing if it is none that is known.
fn reference(rest: &str) -> Option<(char, usize)> {
    let body = rest.strip_prefix('&')?;
    let end =
        body.find(|it: char| !(it.is_ascii_alphanumeric() || it == '#')).unwrap_or(body.len());
    let name = &body[..end];
    let char = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        _ => char::from_u32(number(name.strip_prefix('#')?)?).filter(|it| *it != '\0')?,
    };
    let semicolon = usize::from(body[end..].starts_with(';'));
    Some((char, 1 + end + semicolon))
}

fn number(digits: &str) -> Option<u32> {
    match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> (String, Vec<(String, usize, usize)>) {
        let (text, entities) = read(source).expect("it is sound");
        let kinds = entities.into_iter().map(|it| (it.kind, it.offset, it.length));
        (text, kinds.collect())
    }

    #[test]
    fn tags_become_entities_in_utf16_units() {
        let (text, found) =
            kinds("\u{1f600} <b>a <i>&lt;b&gt;</i></b> <a href=\"https://e.org\">x</a>");
        assert_eq!(text, "\u{1f600} a <b> x");
        let expected = [("bold", 3, 5), ("italic", 5, 3), ("text_link", 9, 1)];
        assert_eq!(found, expected.map(|(kind, at, long)| (kind.to_owned(), at, long)));
    }

    #[test]
    fn code_in_pre_has_its_language() {
        let (_, entities) =
            read("<pre><code class=\"language-rust\">fn</code></pre>").expect("sound");
        assert_eq!(entities.len(), 1);
        assert_eq!(
            (entities[0].kind.as_str(), entities[0].language.as_deref()),
            ("pre", Some("rust"))
        );
    }

    #[test]
    fn what_is_wrong_is_said_in_telegrams_words() {
        let wrong = |source| read(source).expect_err("it is not sound");
        assert_eq!(wrong("<b>x"), "Can't find end tag corresponding to start tag \"b\"");
        assert_eq!(wrong("a <b"), "Unclosed start tag at byte offset 2");
        assert_eq!(wrong("<img>"), "Unsupported start tag \"img\" at byte offset 0");
        assert_eq!(wrong("x</b>"), "Unexpected end tag at byte offset 1");
        assert_eq!(
            wrong("<b>x</i>"),
            "Unmatched end tag at byte offset 4, expected \"</b>\", found \"</i>\""
        );
    }
}
