//! One message to many people, a page at a time.
//!
//! Each message has an id that follows from the broadcast's and the chat's, and a lane takes an id once: however often a page is
//! asked for, nobody gets the message twice. So whoever drives it may stop anywhere and begin again, for as long as the lanes
//! remember. What a broadcast says and to whom is kept under its id, so that another one is not taken for it.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use metrics::counter;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing::info;

use super::{Ops, Trouble, cursor, records};
use crate::dialogue::Role;
use crate::dialogue::{Effect, MAX_TEXT, Message};
use crate::mark;
use crate::records::Audience;
use crate::store::{Clock, Cursor, DialogueKey, Item, Lane, LaneKind, Millis, SEEN_FOR};
use crate::turn::migration::{self, Way};

/// How many people a page looks at.
const PAGE: usize = 25;
/// While more broadcasts than this wait, no more is added: they would only lie in the store.
const MOST_LANES: u64 = 300;
/// How long to wait then before asking again.
const PAUSE_MS: u64 = 500;
/// The longest id.
const MAX_ID: usize = 64;
/// How long after its beginning a broadcast can be gone on with: some hours less than the lanes remember.
const RESUMABLE: Duration = SEEN_FOR.saturating_sub(Duration::from_secs(8 * 3600));

/// The limitation of a bot without a database, for the error message.
const ACTIVE: &str = "a broadcast reaches only people in an unfinished dialogue";

/// What is asked for. No `Debug`: the text is nobody's business.
#[derive(Deserialize)]
pub(super) struct Notice {
    /// Names the broadcast.
    id: String,
    /// The words, which are no markup.
    text: String,
    /// To whom.
    #[serde(default)]
    to: To,
    /// Only to those in this flow and state.
    label: Option<String>,
    /// Where the page begins; at the start if it is not there.
    cursor: Option<String>,
}

/// To whom.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum To {
    /// Everyone in an unfinished dialogue.
    #[default]
    Active,
    /// Everyone who has written to the bot in private.
    All,
    /// Everyone with this role.
    Role(String),
}

/// What became of a page.
#[derive(Debug, Default, Serialize)]
pub(super) struct Sent {
    /// Chats whose message stands in line, or was sent before.
    queued: BTreeSet<i64>,
    /// Chats that do not want to hear from the bot.
    blocked: BTreeSet<i64>,
    /// Where the next page begins; none at the end.
    next: Option<String>,
    /// How long to wait before asking for it.
    wait_ms: u64,
    /// About how many there are, where it was counted: who has drafts besides is counted for each.
    total: Option<u64>,
}

/// Some of those who are to hear it.
struct Page {
    chats: BTreeSet<i64>,
    next: Option<String>,
}

pub(super) async fn page(
    State(ops): State<Ops>,
    Json(notice): Json<Notice>,
) -> Result<Json<Sent>, Trouble> {
    notice.check()?;
    let audience = notice.to.audience(&ops)?;
    notice.is_the_same(&ops).await?;
    let mut sent = Sent { total: notice.total(&ops, audience).await?, ..Sent::default() };
    if ops.store.backlog().await?.bulk > MOST_LANES {
        sent.next = Some(notice.start());
        sent.wait_ms = PAUSE_MS;
        return Ok(Json(sent));
    }
    let page = notice.page(&ops, audience).await?;
    send(&ops, &notice, page.chats, &mut sent).await?;
    sent.next = page.next;
    sent.count();
    if sent.next.is_none() {
        info!(broadcast = notice.id, "a broadcast has reached its end");
    }
    Ok(Json(sent))
}

async fn send(
    ops: &Ops,
    notice: &Notice,
    chats: BTreeSet<i64>,
    sent: &mut Sent,
) -> Result<(), Trouble> {
    for chat in chats {
        let original = original(ops, chat).await?;
        let lane = Lane { kind: LaneKind::Bulk, chat: original };
        match ops.outbox.push(lane, &notice.item(original)).await? {
            true => sent.queued.insert(chat),
            false => sent.blocked.insert(chat),
        };
    }
    Ok(())
}

/// The chat that a group was when the broadcast may have reached it: only its lane knows. What is new there follows the group.
async fn original(ops: &Ops, chat: i64) -> Result<i64, Trouble> {
    if chat > 0 {
        return Ok(chat);
    }
    match migration::way(&*ops.store, chat).await? {
        Some(Way::From(old)) => Ok(old),
        Some(Way::To(_)) | None => Ok(chat),
    }
}

/// The chats of people in an unfinished dialogue.
async fn active(ops: &Ops, notice: &Notice) -> Result<Page, Trouble> {
    let start = cursor::read(&notice.start())?;
    let page = ops.store.people(notice.label(), Some(start), PAGE).await?;
    let mut chats = BTreeSet::new();
    for person in &page.people {
        chats.insert(place(ops, notice, person.key).await?);
    }
    let next = page.next.map(cursor::write);
    Ok(Page { chats, next })
}

/// Where somebody hears it whose dialogue this is: in private if they are in one there as well, so that they hear it once, and not in
/// their group too. Whoever ends the one in private meanwhile hears it all the same.
async fn place(
    ops: &Ops,
    notice: &Notice,
    DialogueKey { chat, user, .. }: DialogueKey,
) -> Result<i64, Trouble> {
    if chat == user {
        return Ok(chat);
    }
    let private = DialogueKey { chat: user, user, topic: None };
    let person = ops.store.peek(&private).await?;
    let is_there =
        person.is_some_and(|person| person.labels.iter().any(|label| notice.asks_for(label)));
    match is_there && !ops.store.blocked(user).await? {
        true => Ok(user),
        false => Ok(chat),
    }
}

/// The private chats of people whom the records know; such a chat has the person's number.
async fn known(ops: &Ops, notice: &Notice, audience: Audience) -> Result<Page, Trouble> {
    let after = notice.start().parse();
    let after = after.map_err(|_| Trouble::Asked("the cursor is of another kind".to_owned()))?;
    let found = records(ops, ACTIVE)?.audience(audience, &ops.staff, after, PAGE);
    let (people, next) = found.await?;
    Ok(Page { chats: people.into_iter().collect(), next: next.map(|next| next.to_string()) })
}

/// Why there can be no broadcast of this id and text, however often it is tried.
pub(crate) fn check_broadcast(id: &str, text: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if id.is_empty() || id.len() > MAX_ID || !id.chars().all(is_plain) {
        return Err(format!(
            "the id of a broadcast has 1 to {MAX_ID} letters, digits, dots, dashes or underscores"
        ));
    }
    match text.trim().encode_utf16().count() {
        0 => Err("a broadcast needs a text".to_owned()),
        length if length > MAX_TEXT => Err(format!(
            "a broadcast is one message of at most {MAX_TEXT} characters; this one has {length}"
        )),
        _ => Ok(()),
    }
}

impl To {
    /// Those of whom the records know.
    fn audience(&self, ops: &Ops) -> Result<Option<Audience>, Trouble> {
        Ok(match self {
            Self::Active => None,
            Self::All => Some(Audience::All),
            Self::Role(name) => {
                let role = Role::find(name, ops.roles).map_err(Trouble::Asked)?;
                Some(Audience::Role(role))
            }
        })
    }
}

impl Notice {
    fn check(&self) -> Result<(), Trouble> {
        check_broadcast(&self.id, &self.text).map_err(Trouble::Asked)?;
        match self.label().is_some() && self.to != To::Active {
            true => Err(Trouble::Asked("a label is of those in an unfinished dialogue".to_owned())),
            false => Ok(()),
        }
    }

    /// Keeps what the broadcast of this id says and to whom, or compares it with what was kept.
    async fn is_the_same(&self, ops: &Ops) -> Result<(), Trouble> {
        let (name, now) = (format!("broadcast:{}", self.id), Clock::system().now());
        let mark = self.mark();
        let kept = match ops.store.kept(&name).await? {
            None => {
                let fresh = format!("{now} {mark}");
                if ops.store.keep(&name, None, fresh.as_bytes()).await? {
                    return Ok(());
                }
                ops.store.kept(&name).await?.unwrap_or_default()
            }
            Some(kept) => kept,
        };
        same_as(&String::from_utf8_lossy(&kept), &mark, now).map_err(|why| {
            Trouble::Refused(format!("the broadcast `{}` {why}: give this one another id", self.id))
        })
    }

    /// Tells this broadcast from others, without its words.
    fn mark(&self) -> String {
        let all = json!([self.text.trim(), self.to, self.label()]).to_string();
        mark::of(all, 16)
    }

    /// About how many are to hear it; of those in the records only at first, since they are counted one by one.
    async fn total(&self, ops: &Ops, audience: Option<Audience>) -> Result<Option<u64>, Trouble> {
        let Some(audience) = audience else {
            let counts = ops.store.active().await?;
            let asked = counts.iter().filter(|(label, _)| self.asks_for(label));
            return Ok(Some(asked.map(|(_, count)| count).sum()));
        };
        if self.cursor.is_some() {
            return Ok(None);
        }
        let size = records(ops, ACTIVE)?.audience_size(audience, &ops.staff).await?;
        Ok(Some(size))
    }

    async fn page(&self, ops: &Ops, audience: Option<Audience>) -> Result<Page, Trouble> {
        match audience {
            None => active(ops, self).await,
            Some(audience) => known(ops, self, audience).await,
        }
    }

    /// Where the page begins.
    fn start(&self) -> String {
        let first = || match self.to {
            To::Active => cursor::write(Cursor::default()),
            To::All | To::Role(_) => "0".to_owned(),
        };
        self.cursor.clone().unwrap_or_else(first)
    }

    fn label(&self) -> Option<&str> {
        self.label.as_deref().filter(|label| !label.is_empty())
    }

    /// Whether it is for those in this flow and state.
    fn asks_for(&self, counted: &str) -> bool {
        self.label().is_none_or(|label| label == counted)
    }

    fn item(&self, chat: i64) -> Item {
        let effect = Effect::Send(Box::new(Message::of_words(chat, self.text.trim())));
        let body = serde_json::to_vec(&effect).expect("an effect is plain data");
        Item { id: format!("b:{}:{chat}", self.id), body: body.into() }
    }
}

/// Whether what was kept of a broadcast is this mark, and not too long ago; else why not.
fn same_as(kept: &str, mark: &str, now: Millis) -> Result<(), &'static str> {
    let begun = kept.split_once(' ').filter(|(_, kept)| *kept == mark);
    let (begun, _) = begun.ok_or("says something else, or to others")?;
    let age = now.saturating_sub(begun.parse().unwrap_or_default());
    match Duration::from_millis(age) > RESUMABLE {
        true => Err("was begun so long ago that it is not known any more who has heard it"),
        false => Ok(()),
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
            to: To::Active,
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
    fn a_broadcast_is_told_from_others_by_its_words_and_those_who_hear_it() {
        let mark = notice("a", "hello").mark();
        assert_eq!(notice("a", " hello\n").mark(), mark);
        assert_ne!(notice("a", "hallo").mark(), mark);
        for to in [To::All, To::Role("owner".to_owned())] {
            let other = Notice { to, ..notice("a", "hello") };
            assert_ne!(other.mark(), mark);
        }
        let hour = 3_600_000;
        assert!(same_as(&format!("1000 {mark}"), &mark, 1000 + 39 * hour).is_ok());
        assert!(same_as(&format!("1000 {mark}"), &mark, 1000 + 41 * hour).is_err());
        assert!(same_as("1000 other", &mark, 1000).is_err());
    }
}
