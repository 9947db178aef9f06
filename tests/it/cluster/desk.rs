//! Two who talk: a worker asks something, and the dispatcher answers. There is only this one dispatcher, since a question is passed on to
//! all who could answer it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::support::patience::all_at_once;
use crate::support::updates::NAME;

use super::bed::Bed;
use super::people::{Done, Trade};
use super::person::{Person, Unheard};

/// Who asks, and who answers.
#[derive(Debug)]
pub(super) struct Desk {
    worker: Done,
    dispatcher: Done,
    /// What each of them is called by the other.
    names: [String; 2],
}

impl Desk {
    /// Both have introduced themselves.
    pub(super) async fn hire(bed: &Bed) -> Self {
        let names = ["worker", "dispatcher"].map(|it| format!("{NAME}-{it}"));
        let called = |name: &str| Person::called(&bed.telegram, name);
        let mut desk = Self {
            worker: Done::not_yet(called(&names[0]), Trade::Asks),
            dispatcher: Done::not_yet(called(&names[1]), Trade::Answers),
            names,
        };
        let roles = [(desk.dispatcher.person.id, "dispatcher")];
        bed.employ(&roles).await;
        let both = [&mut desk.worker, &mut desk.dispatcher].into_iter();
        all_at_once(both.map(Done::introduces_themselves)).await;
        bed.until_drained().await;
        desk
    }

    /// Lets them talk, thinking for so long between two conversations, until it is over.
    pub(super) async fn busy(mut self, pause: Duration, over: Arc<AtomicBool>) -> [Done; 2] {
        while !over.load(Ordering::Relaxed) {
            if self.talk().await.is_err() {
                self.worker.unheard = Some("a conversation");
                break;
            }
            self.worker.plays += 1;
            self.dispatcher.plays += 1;
            sleep(pause.mul_f64(rand::random_range(0.5..1.5))).await;
        }
        [self.worker, self.dispatcher]
    }

    /// The dispatcher leaves first, so that nobody is left in what the other has ended.
    async fn talk(&mut self) -> Result<(), Unheard> {
        let (worker, dispatcher) = (&mut self.worker.person, &mut self.dispatcher.person);
        let [worker_is, dispatcher_is] = &self.names;
        worker.writes("/support");
        let asked = "What would you like to ask? Write it, or send a photo.";
        worker.hears(asked).await?;
        worker.thinks().await;
        let question = worker.words();
        worker.writes(&question);
        let talking =
            "What you write here I pass on to the dispatchers, and their answer comes here.";
        worker.hears(talking).await?;
        let passed = format!("💬 <b>{worker_is}</b>: {question}");
        dispatcher.hears(passed).await?;
        dispatcher.thinks().await;
        dispatcher.presses("↩️ Reply");
        let with = format!("You are talking with {worker_is}. What you write now, I pass on.");
        dispatcher.hears(with).await?;
        let answer = dispatcher.words();
        dispatcher.writes(&answer);
        worker.hears(format!("💬 <b>{dispatcher_is}</b>: {answer}")).await?;
        dispatcher.presses("⏸ Leave it for now");
        let left = "All right. The conversation stays open: go on by the button under a message, or by answering it.";
        dispatcher.hears(left).await?;
        worker.thinks().await;
        worker.presses("🏁 End the conversation");
        worker.hears("The conversation has ended.").await?;
        let news =
            format!("{worker_is} has ended the conversation. To ask something else: /support.");
        dispatcher.hears(news).await
    }
}
