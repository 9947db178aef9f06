//! Telegram's HTML, as far as to say whether a text is some, and how long it is.

/// The tags that Telegram knows.
const TAGS: [&str; 8] = ["b", "i", "u", "s", "code", "pre", "a", "blockquote"];

/// How many UTF-16 units a text has without its tags; or what is wrong with it.
pub(super) fn length(text: &str) -> Result<usize, String> {
    let (mut units, mut open, mut rest) = (0, Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '<' => tag(rest, &mut open)?,
            '&' => {
                units += 1;
                rest.find(';').filter(|at| *at < 10).map_or(1, |at| at + 1)
            }
            other => {
                units += other.len_utf16();
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    match open.pop() {
        Some(tag) => Err(format!(
            "can't parse entities: can't find end tag corresponding to start tag \"{tag}\""
        )),
        None => Ok(units),
    }
}

/// Takes a tag off the front; answers how many bytes it has.
fn tag(rest: &str, open: &mut Vec<String>) -> Result<usize, String> {
    let wrong = |what: &str| format!("can't parse entities: {what}");
    let end = rest.find('>').ok_or_else(|| wrong("unclosed start tag"))?;
    let inner = &rest[1..end];
    let closes = inner.starts_with('/');
    let name = inner.trim_start_matches('/').split(' ').next();
    let name = name.unwrap_or_default();
    if !TAGS.contains(&name) {
        return Err(wrong(&format!("unsupported start tag \"{name}\"")));
    }
    if !closes {
        open.push(name.to_owned());
    } else if open.pop().as_deref() != Some(name) {
        return Err(wrong(&format!("unmatched end tag \"{name}\"")));
    }
    Ok(end + 1)
}
