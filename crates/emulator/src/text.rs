//! From what a bot or a person writes to a text and its entities.

use serde_json::Value;

use super::message::Entity;

mod found;
mod html;
mod markdown;

/// A text and what is special in it.
pub(super) type Formatted = (String, Vec<Entity>);

/// A text that is being taken apart.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    /// Its length in UTF-16 units.
    units: usize,
    entities: Vec<Entity>,
}

impl Draft {
    fn push(&mut self, char: char) {
        self.text.push(char);
        self.units += char.len_utf16();
    }

    /// From there to here it is of this kind; nothing is nothing special.
    fn mark(&mut self, kind: &str, offset: usize) -> Option<&mut Entity> {
        if offset == self.units {
            return None;
        }
        self.entities.push(Entity {
            offset,
            length: self.units - offset,
            kind: kind.to_owned(),
            ..Entity::default()
        });
        self.entities.last_mut()
    }

    /// From there to here it is a link; one to a person mentions them, and one that leads nowhere is none.
    fn link(&mut self, offset: usize, url: &str) {
        let person = url.strip_prefix("tg://user?id=");
        let person = person.and_then(|id| id.parse::<i64>().ok());
        if let Some(id) = person {
            if let Some(entity) = self.mark("text_mention", offset) {
                entity.user = Some(super::message::User { id, ..Default::default() });
            }
        } else if let Some(url) = address(url)
            && let Some(entity) = self.mark("text_link", offset)
        {
            entity.url = Some(url);
        }
    }

    /// The text with its entities in order, the longer of those that begin together first.
    fn finish(mut self) -> Formatted {
        self.entities.sort_by_key(|it| (it.offset, usize::MAX - it.length));
        (self.text, self.entities)
    }
}

/// Reads a text by its parse mode, or with the entities that came with it; or says in Telegram's words what is wrong with it.
pub(super) fn read(
    text: &str,
    parse_mode: Option<&str>,
    entities: Option<&Value>,
) -> Result<Formatted, String> {
    let wrong = |words: String| format!("can't parse entities: {words}");
    let mode = parse_mode.unwrap_or_default().to_lowercase();
    let (text, mut found) = match mode.as_str() {
        "html" => html::read(text).map_err(wrong)?,
        "markdownv2" => markdown::read(text).map_err(wrong)?,
        "markdown" => markdown::read_old(text).map_err(wrong)?,
        "" | "none" => (text.to_owned(), given(entities)),
        _ => return Err("unsupported parse_mode".to_owned()),
    };
    let text = trimmed(&text, &mut found);
    found::add(&text, &mut found);
    Ok((text, found))
}

/// What a person types: commands, names, links and tags are found in it.
pub(super) fn typed(text: &str) -> Formatted {
    let mut found = Vec::new();
    found::add(text, &mut found);
    (text.to_owned(), found)
}

/// How long a text is for Telegram's limits: in characters, whatever they take.
pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

/// How long a text is for what is special in it.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn given(entities: Option<&Value>) -> Vec<Entity> {
    let list = entities.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|entity| serde_json::from_value(entity.clone()).ok()).collect()
}

/// Blanks at the end do not count, and nothing is special in them; nor do those at the beginning, up to where something is.
fn trimmed(text: &str, entities: &mut Vec<Entity>) -> String {
    let text = text.trim_end();
    let end = units(text);
    entities.retain_mut(|entity| {
        entity.length = entity.length.min(end.saturating_sub(entity.offset));
        entity.length > 0
    });
    let first = entities.iter().map(|entity| entity.offset).min();
    let blanks = text.len() - text.trim_start_matches([' ', '\n']).len();
    let begin = blanks.min(first.unwrap_or(blanks));
    for entity in entities {
        entity.offset -= begin;
    }
    text[begin..].to_owned()
}

/// Where a link leads to, as Telegram writes it; nothing if nowhere.
fn address(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_known =
        matches!(scheme.to_lowercase().as_str(), "http" | "https" | "tg" | "ton" | "tonsite");
    let leads = is_known && (host.contains('.') || scheme == "tg" || host.starts_with("localhost"));
    let whole = rest.contains(['/', '?', '#']) || scheme == "tg";
    let slash = if whole { "" } else { "/" };
    leads.then(|| format!("{scheme}://{rest}{slash}"))
}
