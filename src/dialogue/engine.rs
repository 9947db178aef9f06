//! One turn of a dialogue: what was done meets where the dialogue is.
//!
//! The order of things: global commands come before any state, so nobody is ever trapped; then buttons; then the waiting
//! flow; then whichever flow opens on it.

use super::data::{self, Pressed};
use super::edge::Edge;
use super::effect::{Effect, Message};
use super::erased::{Act, Acted, Onward, Placed, Stop, Taken};
use super::flow::OnError;
use super::input::Input;
use super::prompt::{Action, Button, Prompt, say};
use super::repertoire::Repertoire;
use super::saved::{Dialogue, Draft, Due, DueTo, Live};
use super::step::{Deed, Hint};
use super::text::{Text, text};
use super::turn::{Read, Turn};
use crate::store::Millis;

/// How many flows may be put aside for others at once.
const MAX_INTERRUPTED: usize = 3;

/// Everything a turn depends on.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The dialogue as it stands.
    pub dialogue: Dialogue,
    /// What was done.
    pub turn: Turn,
    /// How to play it.
    pub how: How,
}

/// How a turn is to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum How {
    /// As the flows say.
    #[default]
    Play,
    /// It failed too often: by the error policy of the state, with an apology.
    GiveUp,
    /// Not even that worked: end the live flow without asking it.
    Clear,
    /// The state belongs to a newer build: tell the person, once, and leave it as it is.
    KeepForNewer,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The dialogue as it is now.
    pub dialogue: Dialogue,
    /// What it caused, in order.
    pub effects: Vec<Effect>,
    /// The transitions it went through.
    pub edges: Vec<Edge>,
    /// What to show the presser of a button; may be empty.
    pub toast: String,
    /// Whether there is anything to commit.
    pub changed: bool,
}

/// Why a turn could not be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Halt {
    /// This must be read first; then play again.
    Needs(Vec<Read>),
    /// The live flow's state was written by a newer build.
    Newer {
        /// The flow.
        flow: String,
        /// The schema it takes.
        schema: u32,
    },
}

impl Repertoire {
    /// Plays one turn. Pure: the same scene always comes to the same.
    pub fn play(&self, scene: Scene) -> Result<Played, Halt> {
        let how = scene.how;
        let mut play = Play::new(self, scene);
        match how {
            How::Play => play.run()?,
            How::GiveUp => play.give_up(),
            How::Clear => play.clear(),
            How::KeepForNewer => play.keep_for_newer(),
        }
        Ok(play.end())
    }
}

/// A turn in the making.
struct Play<'a> {
    flows: &'a Repertoire,
    turn: Turn,
    dialogue: Dialogue,
    before: Dialogue,
    /// Marks the buttons of what is asked in this turn.
    nonce: String,
    effects: Vec<Effect>,
    edges: Vec<Edge>,
    toast: Option<Text>,
}

impl<'a> Play<'a> {
    fn new(flows: &'a Repertoire, scene: Scene) -> Self {
        let Scene { dialogue, mut turn, .. } = scene;
        if turn.view.person.language.is_empty() {
            turn.view.person.language.clone_from(&dialogue.lang);
        }
        turn.last_album.clone_from(&dialogue.album);
        let nonce = nonce(&turn.stamp);
        let before = dialogue.clone();
        Self {
            flows,
            turn,
            dialogue,
            before,
            nonce,
            effects: Vec::new(),
            edges: Vec::new(),
            toast: None,
        }
    }

    fn run(&mut self) -> Result<(), Halt> {
        match self.turn.input.clone() {
            Input::Edited => Ok(()),
            Input::Timer => self.timer(),
            Input::Reset => {
                self.reset();
                Ok(())
            }
            Input::Command(command) => self.command(&command.name),
            Input::Press(data) => self.press(&data),
            _ => self.answer(),
        }
    }

    fn end(mut self) -> Played {
        self.remember();
        let language = self.turn.view.person.language.clone();
        let toast = self
            .toast
            .as_ref()
            .map(|text| self.flows.texts.render(text, &language));
        Played {
            changed: self.dialogue != self.before || !self.effects.is_empty(),
            dialogue: self.dialogue,
            effects: self.effects,
            edges: self.edges,
            toast: toast.unwrap_or_default(),
        }
    }

    /// What later turns should know of this one. A turn that changed nothing is not remembered.
    fn remember(&mut self) {
        if self.dialogue == self.before && self.effects.is_empty() {
            return;
        }
        self.dialogue
            .lang
            .clone_from(&self.turn.view.person.language);
        if let Input::Photo(photo) = &self.turn.input
            && photo.album.is_some()
        {
            self.dialogue.album.clone_from(&photo.album);
        }
    }

    // What went wrong.

    fn give_up(&mut self) {
        let policy = self.dialogue.live.as_ref().and_then(|live| {
            let flow = self.flows.flow(&live.flow)?;
            Some(flow.on_error(live.schema, &live.state))
        });
        if policy == Some(OnError::Clear) {
            return self.clear();
        }
        // A timer that cannot be played must not fire again and again.
        if matches!(self.turn.input, Input::Timer) {
            self.set_aside(true);
        }
        self.say(&say("apology"));
    }

    fn clear(&mut self) {
        self.leave("failed");
        self.say(&say("apology-cleared"));
    }

    fn keep_for_newer(&mut self) {
        if !std::mem::replace(&mut self.dialogue.told, true) {
            self.say(&say("newer-state"));
        }
    }

    // What was done.

    fn command(&mut self, name: &str) -> Result<(), Halt> {
        match name {
            "start" => self.start(),
            "cancel" => {
                self.cancel();
                Ok(())
            }
            "help" => {
                self.say(&say("help"));
                Ok(())
            }
            "menu" => {
                self.menu("menu");
                Ok(())
            }
            "back" => self.back(),
            _ => self.open_by_command(),
        }
    }

    /// Begins anew. What was under way is put aside, never lost.
    fn start(&mut self) -> Result<(), Halt> {
        self.interrupt();
        if !self.open()? {
            self.menu("start");
        }
        self.offer_drafts();
        Ok(())
    }

    /// Ends what is under way, and only that.
    fn cancel(&mut self) {
        match self.leave("cancelled") {
            Some(flow) => {
                self.say(&say(text("cancelled").with("what", title(&flow))));
                self.offer_drafts();
            }
            None => self.say(&say("nothing-to-cancel")),
        }
    }

    fn menu(&mut self, key: &'static str) {
        let flows = self.flows.flows.iter().map(|flow| flow.name());
        let menu = flows.fold(say(key), |menu, name| menu.link(title(name), name, ""));
        self.say(&menu);
    }

    fn back(&mut self) -> Result<(), Halt> {
        match self.act(Act::Back)? {
            Some(Acted::Taken(taken)) => self.take_live(taken),
            _ => {
                self.say(&say("no-way-back"));
                Ok(())
            }
        }
    }

    /// Another flow's command puts the current one aside; one that nobody knows is left to the current flow.
    fn open_by_command(&mut self) -> Result<(), Halt> {
        match self.opening()? {
            Some((flow, taken)) if self.may_interrupt() => {
                self.interrupt();
                self.take(flow, "start", taken)
            }
            Some(_) => Ok(()),
            None => self.answer(),
        }
    }

    fn press(&mut self, data: &str) -> Result<(), Halt> {
        self.toast = Some(Text::default());
        match data::read(data) {
            Some(Pressed::Choice {
                owner: Some(owner), ..
            }) if owner != self.turn.key.user => self.toast("not-yours"),
            Some(Pressed::Choice { nonce, value, .. }) if self.is_current(nonce) => {
                self.turn.input = Input::Choice(value.to_owned());
                self.answer()
            }
            Some(Pressed::Link { flow, arg }) => self.follow(flow, arg),
            Some(Pressed::Resume(flow)) => self.resume(flow),
            Some(Pressed::Drop(flow)) => self.drop_draft(flow),
            Some(Pressed::Choice { .. }) | None => self.toast("stale-button"),
        }
    }

    fn is_current(&self, nonce: &str) -> bool {
        self.dialogue
            .live
            .as_ref()
            .is_some_and(|live| live.nonce == nonce)
    }

    /// Opens a flow by its link.
    fn follow(&mut self, name: &str, arg: &str) -> Result<(), Halt> {
        let Some(flow) = self.flows.flow(name) else {
            return self.toast("stale-button");
        };
        if !self.may_interrupt() {
            return Ok(());
        }
        self.turn.input = Input::Link(arg.to_owned());
        match flow.open(&self.turn).map_err(|stop| halt(name, 0, stop))? {
            Some(taken) => {
                self.interrupt();
                self.take(name, "start", taken)
            }
            None => self.toast("stale-button"),
        }
    }

    /// Goes on with a draft.
    fn resume(&mut self, name: &str) -> Result<(), Halt> {
        let Some(at) = self
            .dialogue
            .parked
            .iter()
            .position(|draft| draft.flow == name)
        else {
            return self.toast("stale-button");
        };
        let draft = self.dialogue.parked.remove(at);
        self.interrupt();
        self.revive(draft);
        self.ask_again()
    }

    fn drop_draft(&mut self, name: &str) -> Result<(), Halt> {
        let Some(at) = self
            .dialogue
            .parked
            .iter()
            .position(|draft| draft.flow == name)
        else {
            return self.toast("stale-button");
        };
        self.dialogue.parked.remove(at);
        self.edge(name, "parked", "forgotten");
        self.say(&say(text("dropped").with("what", title(name))));
        Ok(())
    }

    /// Gives what was done to the waiting flow, else to the draft it was meant for, else to whoever opens on it.
    fn answer(&mut self) -> Result<(), Halt> {
        if self.dialogue.live.is_none() {
            self.revive_in_time();
        }
        match self.act(Act::Answer)? {
            Some(Acted::Taken(taken)) => self.take_live(taken),
            Some(Acted::Hint(Hint(hint), placed)) => self.hint(hint, &placed),
            Some(_) => Ok(()),
            None if self.dialogue != self.before => Ok(()),
            None if self.open()? => Ok(()),
            None => {
                self.not_understood();
                Ok(())
            }
        }
    }

    /// An answer given before the wait was over, but delivered after: the draft goes on as if it had been in time.
    fn revive_in_time(&mut self) {
        let Some(sent) = self.turn.sent else { return };
        let in_time = |draft: &Draft| draft.expired && sent < draft.at;
        if let Some(at) = self.dialogue.parked.iter().rposition(in_time) {
            let draft = self.dialogue.parked.remove(at);
            self.revive(draft);
        }
    }

    /// Good advice, which leaves the state alone but shows that somebody is there.
    fn hint(&mut self, hint: Text, placed: &Placed) -> Result<(), Halt> {
        let now = self.turn.now;
        let due = self.due(placed);
        if let Some(live) = &mut self.dialogue.live {
            (live.active, live.due) = (now, due);
        }
        if self.toast.is_some() {
            self.toast = Some(hint);
        } else {
            self.say(&say(hint));
        }
        Ok(())
    }

    /// In a group people talk to each other; in private they talk to the bot.
    fn not_understood(&mut self) {
        if self.turn.key.chat > 0 {
            self.say(&say("not-understood"));
        }
    }

    /// Opens the first flow that opens on this.
    fn open(&mut self) -> Result<bool, Halt> {
        match self.opening()? {
            Some((flow, taken)) => self.take(flow, "start", taken).map(|()| true),
            None => Ok(false),
        }
    }

    /// The first flow that opens on this, with its first step.
    fn opening(&self) -> Result<Option<(&'static str, Taken)>, Halt> {
        for flow in &self.flows.flows {
            if let Some(taken) = flow
                .open(&self.turn)
                .map_err(|stop| halt(flow.name(), 0, stop))?
            {
                return Ok(Some((flow.name(), taken)));
            }
        }
        Ok(None)
    }

    // What time did.

    fn timer(&mut self) -> Result<(), Halt> {
        let now = self.turn.now;
        while let Some(at) = self
            .dialogue
            .parked
            .iter()
            .position(|draft| draft.until <= now)
        {
            let draft = self.dialogue.parked.remove(at);
            self.edge(&draft.flow, "parked", "forgotten");
        }
        match self.dialogue.live.as_ref().map(|live| live.due) {
            Some(due) if due.at <= now => self.fire(due.to),
            _ => Ok(()),
        }
    }

    fn fire(&mut self, to: DueTo) -> Result<(), Halt> {
        let act = match to {
            DueTo::Resume => Act::Resume,
            DueTo::Remind => Act::Remind,
            DueTo::Expire => Act::Expire,
        };
        match self.act(act)? {
            Some(Acted::Taken(taken)) => self.take_live(taken),
            Some(Acted::Remind(prompt, placed)) => {
                self.remind(prompt.as_ref(), &placed);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn remind(&mut self, prompt: Option<&Prompt>, placed: &Placed) {
        let ttl = self.ttl(placed);
        if let Some(live) = &mut self.dialogue.live {
            live.due = Due {
                at: live.active + ttl,
                to: DueTo::Expire,
            };
            self.nonce.clone_from(&live.nonce);
        }
        if let Some(prompt) = prompt {
            self.say(prompt);
        }
    }

    /// Frees the person from what is under way, at an operator's word.
    fn reset(&mut self) {
        if self.leave("cancelled").is_some() {
            self.say(&say("reset"));
            self.offer_drafts();
        }
    }

    // Where the dialogue goes.

    /// Does something with the live state. A state that nobody can read is put aside, so that nobody is trapped in it.
    fn act(&mut self, act: Act) -> Result<Option<Acted>, Halt> {
        let Some(live) = &self.dialogue.live else {
            return Ok(None);
        };
        let acted = match self.flows.flow(&live.flow) {
            Some(flow) => flow.act(live.schema, &live.state, act, &self.turn),
            None => Err(Stop::Newer),
        };
        match acted {
            Ok(acted) => Ok(Some(acted)),
            Err(Stop::Broken) => {
                self.interrupt();
                self.say(&say("broken-state"));
                Ok(None)
            }
            Err(stop) => Err(halt(&live.flow, live.schema, stop)),
        }
    }

    /// Puts a step of the live flow into effect.
    fn take_live(&mut self, taken: Taken) -> Result<(), Halt> {
        let Some(live) = &self.dialogue.live else {
            return Ok(());
        };
        let (flow, from) = (live.flow.clone(), live.state.at().into_owned());
        self.take(&flow, &from, taken)
    }

    fn take(&mut self, flow: &str, from: &str, taken: Taken) -> Result<(), Halt> {
        let Taken { next, deeds } = taken;
        if from == "start" && matches!(next, Onward::Done) && deeds.is_empty() {
            return Ok(());
        }
        let nonce = self.nonce_of(&next);
        let asked = std::mem::replace(&mut self.nonce, nonce);
        deeds.into_iter().for_each(|deed| self.deed(deed));
        let went = self.go(flow, from, next);
        self.nonce = asked;
        went
    }

    /// The buttons of a state that is only kept stay those of its question.
    fn nonce_of(&self, next: &Onward) -> String {
        match (next, &self.dialogue.live) {
            (Onward::At(_, None), Some(live)) => live.nonce.clone(),
            _ => self.nonce.clone(),
        }
    }

    fn go(&mut self, flow: &str, from: &str, next: Onward) -> Result<(), Halt> {
        match next {
            Onward::At(placed, prompt) => {
                self.enter(flow, from, placed, prompt.is_some());
                if let Some(prompt) = prompt {
                    self.say(&prompt);
                }
            }
            Onward::Done => {
                self.dialogue.live = None;
                self.edge(flow, from, "done");
                self.offer_drafts();
            }
            Onward::Park(placed) => {
                self.enter(flow, from, placed, false);
                let expired = matches!(self.turn.input, Input::Timer);
                self.set_aside(expired);
                self.offer(flow, if expired { "expired" } else { "parked" });
            }
            Onward::Open {
                park,
                flow: other,
                arg,
            } => {
                self.enter(flow, from, park, false);
                return self.follow(other, &arg);
            }
        }
        Ok(())
    }

    fn enter(&mut self, flow: &str, from: &str, placed: Placed, asked: bool) {
        let to = placed.state.at().into_owned();
        if asked || from != to {
            self.edge(flow, from, &to);
        }
        let since = self
            .dialogue
            .live
            .as_ref()
            .filter(|live| live.flow == flow && from != "start")
            .map(|live| live.since);
        self.dialogue.live = Some(Live {
            flow: flow.to_owned(),
            nonce: self.nonce.clone(),
            since: since.unwrap_or(self.turn.now),
            active: self.turn.now,
            due: self.due(&placed),
            schema: placed.schema,
            state: placed.state,
        });
        self.dialogue.told = false;
    }

    /// Takes a draft up where it was put down.
    fn revive(&mut self, draft: Draft) {
        let at = draft.state.at().into_owned();
        self.edge(&draft.flow, "parked", &at);
        self.dialogue.live = Some(Live {
            flow: draft.flow,
            schema: draft.schema,
            state: draft.state,
            nonce: draft.nonce,
            since: draft.since,
            active: self.turn.now,
            due: Due {
                at: draft.until.max(self.turn.now),
                to: DueTo::Expire,
            },
        });
    }

    /// Asks the live state's question anew, with fresh buttons.
    fn ask_again(&mut self) -> Result<(), Halt> {
        if let Some(Acted::Taken(Taken {
            next: Onward::At(placed, Some(prompt)),
            ..
        })) = self.act(Act::Ask)?
        {
            let due = self.due(&placed);
            if let Some(live) = &mut self.dialogue.live {
                live.due = due;
                live.nonce.clone_from(&self.nonce);
            }
            self.say(&prompt);
        }
        Ok(())
    }

    /// Ends the live flow; answers which it was.
    fn leave(&mut self, to: &str) -> Option<String> {
        let live = self.dialogue.live.take()?;
        self.edge(&live.flow, &live.state.at().into_owned(), to);
        Some(live.flow)
    }

    /// Puts the live flow aside for another.
    fn interrupt(&mut self) {
        self.set_aside(false);
    }

    fn may_interrupt(&mut self) -> bool {
        let aside = self
            .dialogue
            .parked
            .iter()
            .filter(|draft| !draft.expired)
            .count();
        let may = self.dialogue.live.is_none() || aside < MAX_INTERRUPTED;
        if !may {
            self.say(&say(text("too-many-drafts").with("count", MAX_INTERRUPTED)));
        }
        may
    }

    fn set_aside(&mut self, expired: bool) {
        let Some(live) = self.dialogue.live.take() else {
            return;
        };
        self.edge(&live.flow, &live.state.at().into_owned(), "parked");
        self.dialogue.parked.retain(|draft| draft.flow != live.flow);
        let data_ttl = self.data_ttl(&live);
        self.dialogue.parked.push(Draft {
            flow: live.flow,
            schema: live.schema,
            state: live.state,
            nonce: live.nonce,
            since: live.since,
            at: self.turn.now,
            until: self.turn.now + data_ttl,
            expired,
        });
    }

    // How long it waits.

    fn due(&self, placed: &Placed) -> Due {
        let now = self.turn.now;
        let ttl = self.ttl(placed);
        match (placed.pause, placed.remind.map(millis)) {
            (Some(pause), _) => Due {
                at: now + millis(pause),
                to: DueTo::Resume,
            },
            (None, Some(remind)) if remind < ttl => Due {
                at: now + remind,
                to: DueTo::Remind,
            },
            _ => Due {
                at: now + ttl,
                to: DueTo::Expire,
            },
        }
    }

    fn ttl(&self, placed: &Placed) -> Millis {
        millis(self.flows.waits.state_ttl.unwrap_or(placed.ttl))
    }

    fn data_ttl(&self, live: &Live) -> Millis {
        let own = self
            .flows
            .flow(&live.flow)
            .and_then(|flow| flow.data_ttl(live.schema, &live.state));
        millis(own.unwrap_or(self.flows.waits.data_ttl))
    }

    // What it causes.

    fn deed(&mut self, deed: Deed) {
        match deed {
            Deed::Say(prompt) => self.say(&prompt),
            Deed::Tell { chat, prompt } => {
                let message = self.message(chat, None, &prompt);
                self.effects.push(Effect::Send(message));
            }
            Deed::Record(command) => self.effects.push(Effect::Record { command }),
        }
    }

    fn say(&mut self, prompt: &Prompt) {
        let message = self.message(self.turn.key.chat, self.turn.key.topic, prompt);
        self.effects.push(Effect::Send(message));
    }

    fn toast(&mut self, key: &'static str) -> Result<(), Halt> {
        self.toast = Some(key.into());
        Ok(())
    }

    /// Offers to go on with what was put aside for something that has ended.
    fn offer_drafts(&mut self) {
        if self.dialogue.live.is_none()
            && let Some(draft) = self.dialogue.parked.last()
        {
            let flow = draft.flow.clone();
            self.offer(&flow, "resume-offer");
        }
    }

    fn offer(&mut self, flow: &str, key: &'static str) {
        let button = |label: &'static str, action| Button {
            label: label.into(),
            action,
        };
        let prompt = say(text(key).with("what", title(flow))).row([
            button("resume-yes", Action::Resume(flow.to_owned())),
            button("resume-no", Action::Drop(flow.to_owned())),
        ]);
        self.say(&prompt);
    }

    fn edge(&mut self, flow: &str, from: &str, to: &str) {
        self.edges.push(Edge {
            flow: flow.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
        });
    }

    fn message(&self, chat: i64, topic: Option<i32>, prompt: &Prompt) -> Message {
        let owner = (chat < 0).then_some(self.turn.key.user);
        let rows = prompt.rows.iter().map(|row| {
            row.iter()
                .map(|button| self.button(button, owner))
                .collect()
        });
        Message {
            chat,
            topic,
            text: self.render(&prompt.text),
            rows: rows.collect(),
        }
    }

    fn button(&self, button: &Button, owner: Option<i64>) -> (String, String) {
        (
            self.render(&button.label),
            data::write(&button.action, &self.nonce, owner),
        )
    }

    fn render(&self, text: &Text) -> String {
        self.flows
            .texts
            .render(text, &self.turn.view.person.language)
    }
}

fn halt(flow: &str, schema: u32, stop: Stop) -> Halt {
    match stop {
        Stop::Needs(reads) => Halt::Needs(reads),
        Stop::Newer | Stop::Broken => Halt::Newer {
            flow: flow.to_owned(),
            schema,
        },
    }
}

/// The name of a flow, as people read it.
fn title(flow: &str) -> Text {
    format!("{flow}-title").into()
}

fn millis(duration: std::time::Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX / 4)
}

/// Six characters that differ from cause to cause and survive a re-run.
fn nonce(stamp: &str) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let hash = xxhash_rust::xxh3::xxh3_64(stamp.as_bytes());
    (0..6)
        .map(|i| char::from(ALPHABET[(hash >> (5 * i)) as usize % 32]))
        .collect()
}
