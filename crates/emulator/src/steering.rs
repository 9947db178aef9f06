//! What is done to the emulator behind the backs of the people and the bot: doors, faults, limits, restarts.

use std::net::IpAddr;
use std::sync::atomic::Ordering;

use serde_json::Value;

use super::acts::{self, Cannot};
use super::faults::Fault;
use super::limits::{self, Limit};
use super::webhook::Webhook;
use super::{Call, Emulator};

impl Emulator {
    /// Cuts every connection, and refuses new ones until it is [opened](Self::open_door).
    pub fn shut_door(&self) {
        self.life.door.send_replace(false);
    }

    /// Can be reached again, at the same address.
    pub fn open_door(&self) {
        self.life.door.send_replace(true);
    }

    /// Cuts so many of the next connections as soon as they are made, before anything is read.
    pub fn cut_next(&self, connections: usize) {
        self.life.cuts.store(connections, Ordering::Relaxed);
    }

    /// How many of those are still to be cut.
    pub fn still_to_cut(&self) -> usize {
        self.life.cuts.load(Ordering::Relaxed)
    }

    /// This host is at this address from now on, whatever the machine finds. Who knows it already looks again within half an hour.
    pub fn move_host(&self, host: &str, to: IpAddr) {
        let host = host.to_owned();
        self.desk.change(|world| world.moved.insert(host, to));
    }

    /// Answers what is [held](super::Kind::Hold) of this chat, and whatever would be.
    pub fn let_go(&self, chat: i64) {
        self.desk.change(|world| world.let_go.insert(chat));
    }

    /// Puts an update into the queue that was made elsewhere, under its own number.
    pub fn queue(&self, update: &Value) {
        self.desk.change(|world| {
            let now = world.now();
            world.queue.push_made(update, now);
        });
    }

    /// Puts an update of any kind into the queue, under the next number; answers that, if the bot wants to hear of it.
    pub fn tell(&self, update: &Value) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::tell(world, update))
    }

    /// Sends an update once more, so many times at once, whatever became of it.
    pub fn again(&self, update: i64, times: usize) -> Result<(), Cannot> {
        self.desk.change(|world| acts::again(world, update, times))
    }

    /// The server restarts: what was not acknowledged is sent again.
    pub fn restart(&self) {
        self.desk.restart(false);
    }

    /// The same, and numbers of updates go on from a lower one.
    pub fn restart_with_lower_ids(&self) {
        self.desk.restart(true);
    }

    /// All that was said and done is gone; people too if that is wanted.
    pub fn reset(&self, people: bool) {
        self.desk.reset(people);
    }

    /// From now on something goes wrong; answers what it is taken back by, or nothing if it cannot.
    pub fn fault(&self, fault: Fault) -> Option<u64> {
        let fault = self.desk.change(|world| world.faults.add(fault));
        fault.ok().map(|fault| fault.id)
    }

    /// Nothing goes wrong any more.
    pub fn clear_faults(&self) {
        self.desk.change(|world| world.faults.remove(None));
    }

    /// Decides what goes wrong with each call, before any fault.
    pub fn rule(&self, rule: impl Fn(&Call) -> Option<Fault> + Send + 'static) {
        self.desk.change(|world| world.rule = Some(Box::new(rule)));
    }

    /// Answers what is over these limits with 429, and forgets what came before.
    pub fn limit(&self, limits: impl IntoIterator<Item = Limit>) {
        let meter = limits::Meter::new(limits);
        self.desk.change(|world| world.meter = meter);
    }

    /// Registers another webhook behind the bot's back, or none.
    pub fn set_webhook(&self, webhook: Option<Webhook>, allowed: &[String]) {
        self.desk.change(|world| {
            world.begin_anew();
            world.webhook_from = 0;
            world.webhook = webhook;
            world.queue.allowed = allowed.to_vec();
        });
    }

    /// Sends updates there from now on, whatever the bot says: a bench must load nothing but what it is told to.
    pub fn pin_webhook(&self, webhook: Webhook) {
        self.set_webhook(Some(webhook), &[]);
        self.desk.change(|world| world.is_pinned = true);
    }
}
