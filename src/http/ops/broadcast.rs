//! One message to everyone in an unfinished dialogue, a page at a time.
//!
//! Each message has an id that follows from the broadcast's and the chat's, and a lane takes an id once: however often a page is
//! asked for, nobody gets the message twice. So whoever drives it may stop anywhere and begin again.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use metrics::counter;
use serde::{Deserialize, Serialize};
use tracing::info;

use super::{Ops, Trouble, cursor};
use crate::dialogue::{Effect, MAX_TEXT, Message};
use crate::store::{Cursor, Item, Lane, LaneKind, Person};

/// How many people a page looks at.
const PAGE: usize = 25;
/// How many of them the next page looks at again: people who come and go meanwhile move the others up or down.
const OVERLAP: u32 = 5;
/// While more lanes than this have work, no more is added: a broadcast must not pile up before the replies.
const MOST_LANES: u64 = 300;
/// How long to wait then before asking again.
const PAUSE_MS: u64 = 500;
/// The longest id.
const MAX_ID: usize = 64;

/// What is asked for. No `Debug`: the text is nobody's business.
#[derive(Deserialize)]
pub(super) struct Notice {
    /// Names the broadcast.
    id: String,
    /// The words, which are no markup.
    text: String,
    /// Only to those in this flow and state.
    label: Option<String>,
    /// Where the page begins; at the start if it is not there.
    cursor: Option<String>,
}

/// What became of a page.
#[derive(Debug, Serialize)]
pub(super) struct Sent {
    /// Chats whose message stands in line, or was sent before.
    queued: BTreeSet<i64>,
    /// Chats that do not want to hear from the bot.
    blocked: BTreeSet<i64>,
    /// Where the next page begins; none at the end.
    next: Option<String>,
    /// How long to wait before asking for it.
    wait_ms: u64,
    /// About how many there are: who has drafts besides is counted for each.
    total: u64,
}

pub(super) async fn page(
    State(ops): State<Ops>,
    Json(notice): Json<Notice>,
) -> Result<Json<Sent>, Trouble> {
    notice.check()?;
    let start = notice.cursor.as_deref().map(cursor::read).transpose()?;
    let mut sent = Sent {
        queued: BTreeSet::new(),
        blocked: BTreeSet::new(),
        next: None,
        wait_ms: 0,
        total: total(&ops, notice.label()).await?,
    };
    if ops.store.backlog().await?.lanes > MOST_LANES {
        sent.next = Some(cursor::write(start.unwrap_or_default()));
        sent.wait_ms = PAUSE_MS;
        return Ok(Json(sent));
    }
    let page = ops.store.people(notice.label(), start, PAGE).await?;
    send(&ops, &notice, &page.people, &mut sent).await?;
    sent.next = page.next.map(|next| cursor::write(overlapping(next)));
    sent.count();
    if sent.next.is_none() {
        info!(broadcast = notice.id, "a broadcast has reached its end");
    }
    Ok(Json(sent))
}

async fn send(
    ops: &Ops,
    notice: &Notice,
    people: &[Person],
    sent: &mut Sent,
) -> Result<(), Trouble> {
    let chats: BTreeSet<i64> = people.iter().map(|person| person.key.chat).collect();
    for chat in chats {
        let lane = Lane {
            kind: LaneKind::Bulk,
            chat,
        };
        match ops.outbox.push(lane, &notice.item(chat)).await? {
            true => sent.queued.insert(chat),
            false => sent.blocked.insert(chat),
        };
    }
    Ok(())
}

/// About how many people there are.
async fn total(ops: &Ops, label: Option<&str>) -> Result<u64, Trouble> {
    let counts = ops.store.active().await?;
    let asked = counts
        .iter()
        .filter(|(counted, _)| label.is_none_or(|label| label == counted));
    Ok(asked.map(|(_, count)| count).sum())
}

fn overlapping(next: Cursor) -> Cursor {
    Cursor {
        skip: next.skip.saturating_sub(OVERLAP),
        ..next
    }
}

impl Notice {
    fn check(&self) -> Result<(), Trouble> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let asked = |why: String| Err(Trouble::Asked(why));
        if self.id.is_empty() || self.id.len() > MAX_ID || !self.id.chars().all(is_plain) {
            return asked(format!(
                "the id of a broadcast has 1 to {MAX_ID} letters, digits, dots, dashes or underscores"
            ));
        }
        match self.text.trim().encode_utf16().count() {
            0 => asked("a broadcast needs a text".to_owned()),
            length if length > MAX_TEXT => asked(format!(
                "a broadcast is one message of at most {MAX_TEXT} characters; this one has {length}"
            )),
            _ => Ok(()),
        }
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref().filter(|label| !label.is_empty())
    }

    fn item(&self, chat: i64) -> Item {
        let effect = Effect::Send(Box::new(Message::of_words(chat, self.text.trim())));
        let body = serde_json::to_vec(&effect).expect("an effect is plain data");
        Item {
            id: format!("b:{}:{chat}", self.id),
            body: body.into(),
        }
    }
}

impl Sent {
    fn count(&self) {
        for (result, chats) in [("queued", &self.queued), ("blocked", &self.blocked)] {
            counter!("steadfast_broadcast_messages_total", "result" => result)
                .increment(chats.len() as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(id: &str, text: &str) -> Notice {
        Notice {
            id: id.to_owned(),
            text: text.to_owned(),
            label: None,
            cursor: None,
        }
    }

    #[test]
    fn a_broadcast_needs_a_name_and_a_text_that_fits() {
        assert!(notice("may-1.2_3", &"я".repeat(MAX_TEXT)).check().is_ok());
        for (id, text) in [
            ("", "hello"),
            ("two words", "hello"),
            ("line\nfeed", "hello"),
            (&"x".repeat(MAX_ID + 1), "hello"),
            ("a", " \n"),
            ("a", &"x".repeat(MAX_TEXT + 1)),
        ] {
            assert!(notice(id, text).check().is_err(), "{id:?}");
        }
    }

    #[test]
    fn the_words_are_no_markup_and_the_id_follows_from_broadcast_and_chat() {
        let item = notice("a", "1 < 2 & <b>").item(-5);
        assert_eq!(item.id, "b:a:-5");
        let Ok(Effect::Send(message)) = serde_json::from_slice(&item.body) else {
            panic!("a message");
        };
        assert_eq!(message.text, "1 &lt; 2 &amp; &lt;b&gt;");
    }

    #[test]
    fn pages_overlap_and_go_on() {
        let next = |skip| overlapping(Cursor { partition: 3, skip }).skip;
        assert_eq!((next(2), next(PAGE as u32)), (0, PAGE as u32 - OVERLAP));
        assert!(OVERLAP < PAGE as u32);
    }
}
