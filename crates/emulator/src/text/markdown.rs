//! `parse_mode=MarkdownV2`, and the older `Markdown`.

use super::{Draft, Formatted};

const RESERVED: &str = "_*[]()~`>#+-=|{}.!";

/// Something that has begun.
struct Open {
    kind: Kind,
    language: String,
    /// Where it began: in UTF-16 units, in bytes of the source, in bytes of the text.
    offset: usize,
    begin: usize,
    start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bold,
    Italic,
    Underline,
    Strikethrough,
    Spoiler,
    Code,
    Pre,
    PreCode,
    TextUrl,
    CustomEmoji,
    BlockQuote,
}

impl Kind {
    /// What ends it.
    fn end(self) -> &'static str {
        match self {
            Self::Bold => "*",
            Self::Italic => "_",
            Self::Underline => "__",
            Self::Strikethrough => "~",
            Self::Spoiler => "||",
            Self::Code => "`",
            Self::Pre | Self::PreCode => "```",
            Self::TextUrl | Self::CustomEmoji => "]",
            Self::BlockQuote => "\n",
        }
    }

    fn is_code(self) -> bool {
        matches!(self, Self::Code | Self::Pre | Self::PreCode)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bold => "bold",
            Self::Italic => "italic",
            Self::Underline => "underline",
            Self::Strikethrough => "strikethrough",
            Self::Spoiler => "spoiler",
            Self::Code => "code",
            Self::Pre | Self::PreCode => "pre",
            Self::TextUrl => "text_link",
            Self::CustomEmoji => "custom_emoji",
            Self::BlockQuote => "blockquote",
        }
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    draft: Draft,
    open: Vec<Open>,
    in_quote: bool,
}

/// Reads `MarkdownV2`.
pub(super) fn read(source: &str) -> Result<Formatted, String> {
    let mut reader =
        Reader { source, at: 0, draft: Draft::default(), open: Vec::new(), in_quote: false };
    while let Some(first) = reader.rest().chars().next() {
        reader.step(first)?;
    }
    reader.finish()
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn step(&mut self, first: char) -> Result<(), String> {
        let escaped = self.rest()[first.len_utf8()..].chars().next();
        if first == '\\'
            && let Some(char) = escaped.filter(|it| matches!(*it, '\u{1}'..='\u{7e}'))
        {
            self.draft.push(char);
            self.at += 2;
            return Ok(());
        }
        let in_code = self.open.last().is_some_and(|open| open.kind.is_code());
        let is_special = match in_code {
            true => first == '`',
            false => RESERVED.contains(first) || first == '\n',
        };
        if !is_special {
            self.draft.push(first);
            self.at += first.len_utf8();
            return Ok(());
        }
        match self.ends(first) {
            true => self.end(first),
            false => self.begin(first),
        }
    }

    /// Whether the innermost that is open ends here.
    fn ends(&self, first: char) -> bool {
        let rest = self.rest();
        if self.in_quote && first == '\n' && !rest[1..].starts_with('>') {
            return true;
        }
        match self.open.last().map(|open| open.kind) {
            None | Some(Kind::BlockQuote) => false,
            Some(Kind::Italic) => first == '_' && !rest.starts_with("__"),
            Some(kind) => rest.starts_with(kind.end()),
        }
    }

    fn begin(&mut self, first: char) -> Result<(), String> {
        let begin = self.at;
        let rest = self.rest();
        let two = |what: &str| rest.starts_with(what);
        let (kind, taken) = match first {
            '_' if two("__") => (Kind::Underline, 2),
            '_' => (Kind::Italic, 1),
            '*' => (Kind::Bold, 1),
            '~' => (Kind::Strikethrough, 1),
            '|' if two("||") => (Kind::Spoiler, 2),
            '[' => (Kind::TextUrl, 1),
            '!' if two("![") => (Kind::CustomEmoji, 2),
            '`' if two("```") => {
                self.begin_pre(begin);
                return Ok(());
            }
            '`' => (Kind::Code, 1),
            '>' if begin == 0 => (Kind::BlockQuote, 1),
            '\n' => {
                self.line(begin);
                return Ok(());
            }
            other => {
                return Err(format!(
                    "Character '{other}' is reserved and must be escaped with the preceding '\\'"
                ));
            }
        };
        self.at += taken;
        self.in_quote |= kind == Kind::BlockQuote;
        self.put(kind, String::new(), begin);
        Ok(())
    }

    fn put(&mut self, kind: Kind, language: String, begin: usize) {
        let (offset, start) = (self.draft.units, self.draft.text.len());
        self.open.push(Open { kind, language, offset, begin, start });
    }

    /// A new line; one that begins with `>` is a quotation.
    fn line(&mut self, begin: usize) {
        self.draft.push('\n');
        self.at += 1;
        if self.rest().starts_with('>') {
            self.at += 1;
            if !self.in_quote {
                self.in_quote = true;
                self.put(Kind::BlockQuote, String::new(), begin);
            }
        }
    }

    fn begin_pre(&mut self, begin: usize) {
        self.at += 3;
        let rest = self.rest();
        let end = rest.find(|it: char| it.is_whitespace() || it == '`');
        let named = end.filter(|end| *end > 0 && !rest[*end..].starts_with('`'));
        let language = named.map_or(String::new(), |end| rest[..end].to_owned());
        self.at += language.len();
        let rest = self.rest();
        self.at += match rest.get(..2) {
            Some("\r\n" | "\n\r") => 2,
            _ => usize::from(rest.starts_with(['\n', '\r'])),
        };
        let kind = if language.is_empty() { Kind::Pre } else { Kind::PreCode };
        self.put(kind, language, begin);
    }

    fn end(&mut self, first: char) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        if first == '\n' && open.kind != Kind::BlockQuote {
            return Err(endless(&open));
        }
        self.at += open.kind.end().len();
        match open.kind {
            Kind::TextUrl => {
                let url = self.target("a URL")?;
                let url = url.unwrap_or_else(|| self.draft.text[open.start..].to_owned());
                self.draft.link(open.offset, &url);
            }
            Kind::CustomEmoji => {
                let wrong = "Custom emoji entity must contain a tg://emoji URL";
                let url = self.target("a custom emoji URL")?.ok_or(wrong)?;
                let id = url.strip_prefix("tg://emoji?id=").ok_or(wrong)?;
                if let Some(entity) = self.draft.mark("custom_emoji", open.offset) {
                    entity.custom_emoji_id = Some(id.to_owned());
                }
            }
            Kind::BlockQuote => {
                self.in_quote = false;
                self.draft.push('\n');
                self.draft.mark("blockquote", open.offset);
            }
            kind => {
                if let Some(entity) = self.draft.mark(kind.name(), open.offset) {
                    entity.language = (!open.language.is_empty()).then_some(open.language);
                }
            }
        }
        Ok(())
    }

    /// What stands in parentheses behind a link, if anything does.
    fn target(&mut self, what: &str) -> Result<Option<String>, String> {
        if !self.rest().starts_with('(') {
            return Ok(None);
        }
        let begin = self.at + 1;
        let (mut url, mut chars) = (String::new(), self.source[begin..].char_indices());
        while let Some((at, char)) = chars.next() {
            match char {
                ')' => {
                    self.at = begin + at + 1;
                    return Ok(Some(url));
                }
                '\\' => url.push(chars.next().map_or('\\', |(_, escaped)| escaped)),
                other => url.push(other),
            }
        }
        Err(format!("Can't find end of {what} at byte offset {begin}"))
    }

    fn finish(mut self) -> Result<Formatted, String> {
        let quote = self.open.pop_if(|open| open.kind == Kind::BlockQuote);
        if let Some(open) = quote {
            self.draft.mark("blockquote", open.offset);
        }
        match self.open.pop() {
            Some(open) => Err(endless(&open)),
            None => Ok(self.draft.finish()),
        }
    }
}

fn endless(open: &Open) -> String {
    format!("Can't find end of {:?} entity at byte offset {}", open.kind, open.begin)
}

/// Reads the older `Markdown`, which knows no nesting.
pub(super) fn read_old(source: &str) -> Result<Formatted, String> {
    let (mut draft, mut at) = (Draft::default(), 0);
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let escaped = rest[first.len_utf8()..].chars().next();
        if first == '\\'
            && let Some(char) = escaped.filter(|it| "_*`[".contains(*it))
        {
            draft.push(char);
            at += 2;
        } else if "_*`[".contains(first) {
            at = old_entity(source, at, first, &mut draft)?;
        } else {
            draft.push(first);
            at += first.len_utf8();
        }
    }
    Ok(draft.finish())
}

fn old_entity(source: &str, begin: usize, first: char, draft: &mut Draft) -> Result<usize, String> {
    let rest = &source[begin..];
    let (kind, fence) = match first {
        '_' => ("italic", "_"),
        '*' => ("bold", "*"),
        '[' => ("text_link", "]"),
        _ if rest.starts_with("```") => ("pre", "```"),
        _ => ("code", "`"),
    };
    let start = begin + fence.len();
    let end = source[start..].find(fence).map(|end| start + end);
    let end =
        end.ok_or_else(|| format!("Can't find end of the entity starting at byte offset {begin}"))?;
    let (inner, offset) = (&source[start..end], draft.units);
    inner.chars().for_each(|char| draft.push(char));
    let mut next = end + fence.len();
    if kind != "text_link" {
        draft.mark(kind, offset);
        return Ok(next);
    }
    let target = source[next..].strip_prefix('(');
    let target = target.and_then(|rest| rest.find(')').map(|end| &rest[..end]));
    next += target.map_or(0, |url| url.len() + 2);
    draft.link(offset, target.unwrap_or(inner));
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(formatted: Result<Formatted, String>) -> (String, Vec<(String, usize, usize)>) {
        let (text, entities) = formatted.expect("it is sound");
        let kinds = entities.into_iter().map(|it| (it.kind, it.offset, it.length));
        (text, kinds.collect())
    }

    #[test]
    fn marks_become_entities() {
        let (text, found) = kinds(read("*a _b_* __c__ ~d~ ||e|| `f\\`` [g](https://e.org/\\))\\."));
        assert_eq!(text, "a b c d e f` g.");
        let expected = [
            ("bold", 0, 3),
            ("italic", 2, 1),
            ("underline", 4, 1),
            ("strikethrough", 6, 1),
            ("spoiler", 8, 1),
            ("code", 10, 2),
            ("text_link", 13, 1),
        ];
        assert_eq!(found, expected.map(|(kind, at, long)| (kind.to_owned(), at, long)));
    }

    #[test]
    fn quotations_and_code_blocks() {
        let (text, found) = kinds(read(">a\n>b\nc ```rust\nd```"));
        assert_eq!(text, "a\nb\nc d");
        let expected = [("blockquote", 0, 4), ("pre", 6, 1)];
        assert_eq!(found, expected.map(|(kind, at, long)| (kind.to_owned(), at, long)));
    }

    #[test]
    fn what_is_wrong_is_said_in_telegrams_words() {
        let wrong = |source| read(source).expect_err("it is not sound");
        assert_eq!(
            wrong("a."),
            "Character '.' is reserved and must be escaped with the preceding '\\'"
        );
        assert_eq!(wrong("a *b"), "Can't find end of Bold entity at byte offset 2");
        assert_eq!(wrong("[a](b"), "Can't find end of a URL at byte offset 4");
        assert_eq!(
            read_old("a *b").expect_err("unsound"),
            "Can't find end of the entity starting at byte offset 2"
        );
    }

    #[test]
    fn the_older_one_knows_bold_and_links() {
        let (text, found) = kinds(read_old("*a* [b](https://e.org) c."));
        assert_eq!(text, "a b c.");
        assert_eq!(found[1], ("text_link".to_owned(), 2, 1));
    }
}
