//! What Telegram finds in a text by itself: commands, names, tags, links, addresses.

use super::super::message::Entity;

/// Adds what is found where nothing special is yet.
pub(super) fn add(text: &str, entities: &mut Vec<Entity>) {
    let mut offset = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let skipped = bare.len() - bare.trim_start_matches(['(', '"', '\'', ',']).len();
        if let Some((kind, length)) = judge(&bare[skipped..]) {
            put(entities, offset + skipped, length, kind);
        }
        offset += super::units(word);
    }
    entities.sort_by_key(|entity| (entity.offset, usize::MAX - entity.length));
}

fn put(entities: &mut Vec<Entity>, offset: usize, length: usize, kind: &str) {
    let is_taken = entities.iter().any(|it| {
        matches!(it.kind.as_str(), "code" | "pre" | "text_link" | "text_mention")
            && it.offset < offset + length
            && offset < it.offset + it.length
    });
    let is_there = entities.iter().any(|it| it.offset == offset && it.kind == kind);
    if !is_taken && !is_there {
        let kind = kind.to_owned();
        entities.push(Entity { offset, length, kind, ..Entity::default() });
    }
}

/// What a word is, and how much of it.
fn judge(word: &str) -> Option<(&'static str, usize)> {
    let name = |rest: &str| {
        rest.find(|it: char| !(it.is_alphanumeric() || it == '_')).unwrap_or(rest.len())
    };
    if let Some(rest) = word.strip_prefix('/') {
        return command(rest).map(|length| ("bot_command", length + 1));
    }
    if let Some(rest) = word.strip_prefix('@') {
        let length = rest.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
        let length = length.unwrap_or(rest.len());
        return (3..=32).contains(&length).then_some(("mention", length + 1));
    }
    if let Some(rest) = word.strip_prefix('#') {
        let length = super::units(&rest[..name(rest)]);
        return (length > 0).then_some(("hashtag", length + 1));
    }
    let end = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
    let is_link = ["http://", "https://"]
        .iter()
        .any(|scheme| end.strip_prefix(scheme).is_some_and(|rest| rest.contains('.')));
    if is_link {
        return Some(("url", super::units(end)));
    }
    let (who, host) = end.split_once('@')?;
    let is_plain =
        |part: &str| part.chars().all(|it| it.is_ascii_alphanumeric() || "._-+".contains(it));
    let is_address = !who.is_empty() && host.contains('.') && is_plain(who) && is_plain(host);
    is_address.then_some(("email", end.len()))
}

/// How long a command is, with the name of the bot it is for.
fn command(rest: &str) -> Option<usize> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let length = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
    if !(1..=64).contains(&length) || rest[length..].starts_with('/') {
        return None;
    }
    let bot = rest[length..].strip_prefix('@').map_or(0, |name| {
        let end = name.find(|it| !is_part(it)).unwrap_or(name.len());
        if end < 3 { 0 } else { end + 1 }
    });
    Some(length + bot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_names_tags_links_and_addresses_are_found() {
        let mut found = Vec::new();
        add("/start@shop_bot \u{1f600} @anna #tag https://e.org/a. me@e.org 1/2", &mut found);
        let found: Vec<_> =
            found.iter().map(|it| (it.kind.as_str(), it.offset, it.length)).collect();
        let expected = [
            ("bot_command", 0, 15),
            ("mention", 19, 5),
            ("hashtag", 25, 4),
            ("url", 30, 15),
            ("email", 47, 8),
        ];
        assert_eq!(found, expected);
    }
}
