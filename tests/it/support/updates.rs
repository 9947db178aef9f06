//! Updates as Telegram writes them, and a Telegram that delivers them until they are taken.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::http::{self, Answer};
use super::patience::LONG;
use super::server::{SECRET, Server};
use super::whispers;

/// What everybody is called.
pub(crate) const NAME: &str = "Annabella-Canaria";

/// An update.
#[derive(Debug, Clone)]
pub(crate) struct Update(Value);

/// A person nobody else is.
pub(crate) fn someone() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(500_001);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The time in seconds, as messages are dated.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("a time after 1970").as_secs()
}

fn fresh_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(700_000_001);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Update {
    /// A text, or a command, of this person in their private chat.
    pub(crate) fn text(user: i64, text: &str) -> Self {
        Self::message(user, &json!({ "text": text }))
    }

    /// A photo.
    pub(crate) fn photo(user: i64) -> Self {
        let size = |name: &str, width: u32| json!({ "file_id": name, "file_unique_id": name, "file_size": width, "width": width, "height": width });
        let photo = [size("small", 90), size("large", 1280)];
        Self::message(user, &json!({ "photo": photo }))
    }

    /// A contact.
    pub(crate) fn contact(user: i64, phone: &str) -> Self {
        let contact = json!({ "phone_number": phone, "first_name": NAME, "user_id": user });
        Self::message(user, &json!({ "contact": contact }))
    }

    /// A press of a button that carries this.
    pub(crate) fn press(user: i64, data: &str) -> Self {
        let number = fresh_number();
        let bot = json!({ "id": 7_000_001, "is_bot": true, "first_name": "Steadfast" });
        let message = json!({
            "message_id": number, "from": bot, "chat": chat(user), "date": now(), "text": "?",
        });
        Self(json!({ "update_id": number, "callback_query": {
            "id": format!("{number}0001"), "from": person(user), "message": message,
            "chat_instance": "-3350123456789012345", "data": data,
        }}))
    }

    /// What Telegram says when a group becomes another chat: once in each.
    pub(crate) fn migration(user: i64, old: i64, new: i64) -> [Self; 2] {
        [
            Self::message(user, &json!({ "migrate_to_chat_id": new })).in_group(old),
            Self::message(user, &json!({ "migrate_from_chat_id": old })).in_group(new),
        ]
    }

    fn message(user: i64, content: &Value) -> Self {
        let number = fresh_number();
        let mut message = json!({
            "message_id": number, "from": person(user), "chat": chat(user), "date": now(),
        });
        for (name, value) in content.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        Self(json!({ "update_id": number, "message": message }))
    }

    /// With another number.
    pub(crate) fn numbered(mut self, number: u32) -> Self {
        self.0["update_id"] = number.into();
        self
    }

    /// A message sent at another time.
    pub(crate) fn dated(mut self, seconds: u64) -> Self {
        self.0["message"]["date"] = seconds.into();
        self
    }

    /// A message written, or a button pressed, in this group instead.
    pub(crate) fn in_group(mut self, group: i64) -> Self {
        let message = match self.0.get("callback_query") {
            Some(_) => &mut self.0["callback_query"]["message"],
            None => &mut self.0["message"],
        };
        message["chat"] = json!({ "id": group, "title": "Team", "type": "supergroup" });
        self
    }

    /// A message written in this topic of its group.
    pub(crate) fn in_topic(mut self, topic: i64) -> Self {
        self.0["message"]["chat"]["is_forum"] = true.into();
        self.0["message"]["is_topic_message"] = true.into();
        self.0["message"]["message_thread_id"] = topic.into();
        self
    }

    /// A message from an app that is set to this language.
    pub(crate) fn in_language(mut self, language: &str) -> Self {
        self.0["message"]["from"]["language_code"] = language.into();
        self
    }

    /// A photo as part of an album.
    pub(crate) fn of_album(mut self, album: &str) -> Self {
        self.0["message"]["media_group_id"] = album.into();
        self
    }

    /// A photo with a caption.
    pub(crate) fn captioned(mut self, caption: &str) -> Self {
        self.0["message"]["caption"] = caption.into();
        self
    }

    /// A message that answers one of the bot's.
    pub(crate) fn replying_to(mut self, message: i64) -> Self {
        let bot = json!({ "id": 7_000_001, "is_bot": true, "first_name": "Steadfast" });
        let chat = self.0["message"]["chat"].clone();
        self.0["message"]["reply_to_message"] = json!({
            "message_id": message, "from": bot, "chat": chat, "date": now(), "text": "?",
        });
        self
    }

    /// As it travels.
    pub(crate) fn body(&self) -> String {
        whispers::send(&self.0);
        self.0.to_string()
    }

    /// Its id.
    pub(crate) fn number(&self) -> u64 {
        self.0["update_id"].as_u64().unwrap_or_default()
    }
}

fn person(user: i64) -> Value {
    json!({ "id": user, "is_bot": false, "first_name": NAME, "language_code": "en" })
}

fn chat(user: i64) -> Value {
    json!({ "id": user, "first_name": NAME, "type": "private" })
}

/// Delivers updates, to any of the servers there are at the time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Telegram {
    doors: Arc<RwLock<Vec<SocketAddr>>>,
    next: Arc<AtomicUsize>,
}

/// An update that was taken.
#[derive(Debug)]
pub(crate) struct Delivered {
    /// How often it had to be sent again.
    pub(crate) again: u32,
    /// What was answered in the end.
    pub(crate) answer: Answer,
}

impl Telegram {
    /// One that delivers to these.
    pub(crate) fn to<'a>(servers: impl IntoIterator<Item = &'a Server>) -> Self {
        let telegram = Self::default();
        telegram.turn_to(servers);
        telegram
    }

    /// From now on delivers to these, also what is under way.
    pub(crate) fn turn_to<'a>(&self, servers: impl IntoIterator<Item = &'a Server>) {
        let doors = servers.into_iter().map(Server::webhook).collect();
        *self.doors.write().expect("the doors") = doors;
    }

    /// Sends the update until it is taken: at once after the first failure, then with a short delay where Telegram has a
    /// longer one.
    pub(crate) async fn deliver(&self, update: &Update) -> Delivered {
        let started = Instant::now();
        for again in 0.. {
            if let Some(answer) = self.try_once(update).await
                && answer.is_success()
            {
                return Delivered { again, answer };
            }
            assert!(started.elapsed() < LONG, "update {} was never taken", update.number());
            if again > 0 {
                sleep(Duration::from_millis(50)).await;
            }
        }
        unreachable!("there is no last try")
    }

    /// Delivers these one after the other, as Telegram does with those of one chat.
    pub(crate) async fn deliver_all<'a>(&self, updates: impl IntoIterator<Item = &'a Update>) {
        for update in updates {
            self.deliver(update).await;
        }
    }

    async fn try_once(&self, update: &Update) -> Option<Answer> {
        let door = {
            let doors = self.doors.read().expect("the doors");
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            *doors.get(turn % doors.len().max(1))?
        };
        let answer = post(door, update).await.ok()?;
        if answer.status == 503 {
            assert_eq!(answer.header("retry-after"), "1", "every 503 says when");
        }
        Some(answer)
    }
}

/// Posts an update once.
pub(crate) async fn post(door: SocketAddr, update: &Update) -> std::io::Result<Answer> {
    post_with(door, update, &[]).await
}

/// Posts an update once, with these headers on top.
pub(crate) async fn post_with(
    door: SocketAddr,
    update: &Update,
    headers: &[(&str, &str)],
) -> std::io::Result<Answer> {
    let mut all = vec![("x-telegram-bot-api-secret-token", SECRET)];
    all.extend(headers);
    http::post(door, "/webhook", &all, update.body()).await
}
