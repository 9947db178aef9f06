//! A chat on paper: plays a dialogue turn by turn, without a store, a server or a clock.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::dialogue::TestChat;
//! use steadfast::company::flows;
//!
//! let repertoire = flows::all();
//! let mut chat = TestChat::new(&repertoire, flows::edges());
//! chat.types("/photo").at("photo/shot");
//! chat.waits(Duration::from_secs(3600)).hears("Continue where you stopped?");
//! ```

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::Duration;

use super::edge::{Edge, Edges};
use super::effect::{Effect, Message};
use super::engine::{Halt, How, Played, Scene};
use super::flow::Flow;
use super::input::{Command, Input, Photo};
use super::repertoire::Repertoire;
use super::saved::Dialogue;
use super::texts::Texts;
use super::turn::{Read, Turn, read};
use crate::dialogue::{Member, Role};
use crate::store::Millis;

/// The variable that names a file to which the edges walked are added, instead of being held against the snapshot.
const RECORD: &str = "STEADFAST_EDGES";

/// A chat on paper. When it ends, the edges it walked must be those of the snapshot, if it was given one.
#[derive(Debug)]
pub struct TestChat<'a> {
    repertoire: &'a Repertoire,
    edges: Option<&'a Edges>,
    dialogue: Dialogue,
    turns: u32,
    now: Millis,
    language: &'static str,
    chat: i64,
    last: Option<Played>,
    heard: Vec<Message>,
    walked: BTreeSet<Edge>,
    reads: Vec<(Read, serde_json::Value)>,
    /// What the next thing answers that the person does.
    reply_to: Option<i32>,
    /// How the next thing is played.
    how: How,
}

impl TestChat<'static> {
    /// Returns a private chat with a bot that has only the flow `F`, no texts of its own and no snapshot of transitions.
    pub fn of<F: Flow>() -> Self {
        // Never freed: a test makes few of them, and a chat without a lifetime is easier to pass on.
        Self::sketch(Box::leak(Box::new(Repertoire::new(Texts::default()).with::<F>())))
    }
}

impl<'a> TestChat<'a> {
    /// A private chat in which nothing was said yet.
    pub fn new(repertoire: &'a Repertoire, edges: &'a Edges) -> Self {
        let mut chat = Self::sketch(repertoire);
        chat.edges = Some(edges);
        chat
    }

    /// As [`TestChat::new`], held against no snapshot: for flows that are still being thought out.
    pub fn sketch(repertoire: &'a Repertoire) -> Self {
        Self {
            repertoire,
            edges: None,
            dialogue: Dialogue::default(),
            turns: 0,
            now: 1_760_000_000_000,
            language: "en",
            chat: 5001,
            last: None,
            heard: Vec::new(),
            walked: BTreeSet::new(),
            reads: vec![(read(Member::READ, ""), serde_json::json!(Member::default()))],
            reply_to: None,
            how: How::Play,
        }
    }

    /// The person's app is set to this language.
    #[must_use]
    pub fn in_language(mut self, language: &'static str) -> Self {
        self.language = language;
        self
    }

    /// It is a group.
    #[must_use]
    pub fn in_group(mut self) -> Self {
        self.chat = -100;
        self
    }

    /// The chat goes on from what an earlier build has kept of it.
    pub fn finds(&mut self, dialogue: Dialogue) -> &mut Self {
        self.dialogue = dialogue;
        self
    }

    /// The person has these roles, and no others.
    pub fn is(&mut self, roles: impl IntoIterator<Item = Role>) -> &mut Self {
        self.knows(read(Member::READ, ""), Member::with(roles))
    }

    /// What the records answer to this wish from now on.
    pub fn knows(&mut self, read: Read, value: impl serde::Serialize) -> &mut Self {
        self.reads.push((read, serde_json::to_value(value).expect("a read is plain data")));
        self
    }

    /// The person types something; commands count.
    pub fn types(&mut self, text: &str) -> &mut Self {
        let command = Command::parse(text).map(|(command, _)| Input::Command(command));
        self.does(command.unwrap_or_else(|| Input::Text(text.to_owned())))
    }

    /// The person types something in answer to this message.
    pub fn replies(&mut self, message: i32, words: &str) -> &mut Self {
        self.reply_to = Some(message);
        self.types(words)
    }

    /// The person sends a photo, perhaps as part of an album, perhaps with a caption.
    pub fn sends_photo(
        &mut self,
        file_id: &str,
        album: Option<&str>,
        caption: Option<&str>,
    ) -> &mut Self {
        let own = |text: Option<&str>| text.map(str::to_owned);
        self.does(Input::Photo(Photo {
            file_id: file_id.to_owned(),
            album: own(album),
            caption: own(caption),
        }))
    }

    /// The person presses the newest button with this label.
    ///
    /// # Panics
    /// When no message has such a button.
    pub fn presses(&mut self, label: &str) -> &mut Self {
        let data = self.button(label);
        self.does(Input::Press(data))
    }

    /// The data of the newest button with this label, to press it later.
    ///
    /// # Panics
    /// When no message has such a button.
    pub fn button(&self, label: &str) -> String {
        let buttons = self.heard.iter().rev().flat_map(|message| message.rows.iter().flatten());
        let found =
            buttons.into_iter().find(|(text, _)| text == label).map(|(_, data)| data.clone());
        found.unwrap_or_else(|| panic!("no button says `{label}`; heard: {:#?}", self.heard))
    }

    /// The person does something.
    pub fn does(&mut self, input: Input) -> &mut Self {
        self.now += 1000;
        let sent = self.now;
        self.play(input, Some(sent))
    }

    /// The person did something at an earlier time, and it arrives only now.
    pub fn did(&mut self, earlier: Duration, input: Input) -> &mut Self {
        let sent = self.now - ms(earlier);
        self.play(input, Some(sent))
    }

    /// Time passes, and every timer that falls due is played.
    pub fn waits(&mut self, time: Duration) -> &mut Self {
        let until = self.now + ms(time);
        while let Some(due) = self.dialogue.due().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.play(Input::Timer, None);
        }
        self.now = until;
        self
    }

    /// The person does something, and it fails for good, however often it is tried.
    pub fn fails(&mut self) -> &mut Self {
        self.how = How::GiveUp;
        self.does(Input::Text(String::new()));
        self.how = How::Play;
        self
    }

    fn play(&mut self, input: Input, sent: Option<Millis>) -> &mut Self {
        self.turns += 1;
        let mut turn = Turn::from(input);
        turn.view.now = self.now;
        turn.view.key.chat = self.chat;
        let timer = turn.input == Input::Timer;
        turn.view.person.language = if timer { "" } else { self.language }.to_owned();
        turn.sent = sent;
        turn.reply_to = self.reply_to.take();
        turn.stamp = format!("{}.{}", self.turns, self.now);
        let played = self.read_and_play(turn);
        let messages = played.effects.iter().filter_map(|effect| match effect {
            Effect::Send(message) => Some((**message).clone()),
            Effect::Delete { .. } | Effect::Typing { .. } | Effect::Record(_) => None,
        });
        self.heard.extend(messages);
        self.walked.extend(played.edges.iter().map(|walked| walked.edge.clone()));
        self.dialogue =
            Dialogue::read(Some(&played.dialogue.write())).expect("what is written can be read");
        self.last = Some(played);
        self
    }

    fn read_and_play(&self, mut turn: Turn) -> Played {
        loop {
            let scene =
                Scene { dialogue: self.dialogue.clone(), turn: turn.clone(), how: self.how };
            match self.repertoire.play(scene) {
                Ok(played) => return played,
                Err(Halt::Needs(reads)) => reads.into_iter().for_each(|read| {
                    let known = self.reads.iter().rev().find(|(known, _)| *known == read);
                    let (_, value) = known.unwrap_or_else(|| {
                        panic!("the flow wants to read {read:?}: say what it knows")
                    });
                    turn.view.reads.insert(read, value.clone());
                }),
                Err(halt @ Halt::Newer { .. }) => {
                    panic!("the transcript came to a state it cannot read: {halt:?}")
                }
            }
        }
    }

    /// The last turn said this, or something containing it.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn hears(&mut self, text: &str) -> &mut Self {
        let said = self.said();
        assert!(
            said.iter().any(|message| message.contains(text)),
            "expected to hear `{text}`, heard {said:#?}"
        );
        self
    }

    /// The last turn said nothing.
    ///
    /// # Panics
    /// When it did.
    #[track_caller]
    pub fn hears_nothing(&mut self) -> &mut Self {
        assert_eq!(self.said(), Vec::<String>::new());
        self
    }

    /// The last turn showed this over the button.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn sees(&mut self, toast: &str) -> &mut Self {
        let shown = self.last.as_ref().map(|played| played.toast.as_str()).unwrap_or_default();
        assert!(shown.contains(toast), "expected the toast `{toast}`, saw `{shown}`");
        self
    }

    /// The dialogue is in this state, such as `photo/caption`, or nowhere: `idle`.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn at(&mut self, state: &str) -> &mut Self {
        let live = self.dialogue.live.as_ref();
        let at =
            live.map_or("idle".to_owned(), |live| format!("{}/{}", live.flow, live.state.at()));
        assert_eq!(at, state);
        self
    }

    /// What is kept of the dialogue.
    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }

    /// What the last turn came to.
    pub fn played(&self) -> Option<&Played> {
        self.last.as_ref()
    }

    /// The last turn told another chat this, or something containing it.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn tells(&mut self, chat: i64, text: &str) -> &mut Self {
        let effects = self.last.iter().flat_map(|played| &played.effects);
        let told: Vec<_> = effects
            .filter_map(|effect| match effect {
                Effect::Send(message) if message.chat == chat => Some(message.text.as_str()),
                _ => None,
            })
            .collect();
        assert!(
            told.iter().any(|message| message.contains(text)),
            "expected {chat} to be told `{text}`, told {told:#?}"
        );
        self
    }

    /// The last turn told this chat nothing.
    ///
    /// # Panics
    /// When it did.
    #[track_caller]
    pub fn tells_nothing_to(&mut self, chat: i64) -> &mut Self {
        let effects = self.last.iter().flat_map(|played| &played.effects);
        let told = |effect: &&Effect| matches!(effect, Effect::Send(sent) if sent.chat == chat);
        let told: Vec<_> = effects.filter(told).collect();
        assert!(told.is_empty(), "expected {chat} to be told nothing, told {told:#?}");
        self
    }

    /// The last turn changed the message of this name in place.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn edits(&mut self, name: &str) -> &mut Self {
        assert_eq!(self.placed(name), [true], "`{name}` is changed in place");
        self
    }

    /// The last turn sent the message of this name anew.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn sends(&mut self, name: &str) -> &mut Self {
        assert_eq!(self.placed(name), [false], "`{name}` is sent anew");
        self
    }

    /// Of each message of this name in the last turn, whether it is changed in place.
    fn placed(&self, name: &str) -> Vec<bool> {
        let effects = self.last.iter().flat_map(|played| &played.effects);
        let named = effects.filter_map(|effect| match effect {
            Effect::Send(sent) if sent.name.as_deref() == Some(name) => Some(sent.in_place),
            _ => None,
        });
        named.collect()
    }

    /// The last turn wrote exactly this record, and no other.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn records(&mut self, command: impl serde::Serialize) -> &mut Self {
        let expected = serde_json::to_value(command).expect("a command is plain data");
        let effects = self.last.iter().flat_map(|played| &played.effects);
        let written: Vec<_> = effects
            .filter_map(|effect| match effect {
                Effect::Record(record) => Some(&record.command),
                _ => None,
            })
            .collect();
        assert_eq!(written, [&expected]);
        self
    }

    fn said(&self) -> Vec<String> {
        let effects = self.last.iter().flat_map(|played| &played.effects);
        let texts = effects.filter_map(|effect| match effect {
            Effect::Send(message) => Some(message.text.clone()),
            Effect::Delete { .. } | Effect::Typing { .. } | Effect::Record(_) => None,
        });
        texts.collect()
    }
}

impl Drop for TestChat<'_> {
    fn drop(&mut self) {
        let Some(edges) = self.edges.filter(|_| !std::thread::panicking()) else {
            return;
        };
        let new: Vec<_> = self
            .walked
            .iter()
            .filter(|edge| !Edges::default().knows(edge))
            .map(Edge::to_string)
            .collect();
        if let Some(file) = std::env::var_os(RECORD) {
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(file)
                .expect("the file of edges can be written");
            file.write_all((new.join("\n") + "\n").as_bytes())
                .expect("the file of edges can be written");
            return;
        }
        let unknown: Vec<_> =
            self.walked.iter().filter(|edge| !edges.knows(edge)).map(Edge::to_string).collect();
        assert!(
            unknown.is_empty(),
            "these transitions are not in the reviewed snapshot; add them if they are meant:\n{}",
            unknown.join("\n")
        );
    }
}

fn ms(duration: Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX / 4)
}
