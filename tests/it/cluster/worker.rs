//! A worker who opens a shift, does what is to be done, shows it by photos and closes it with their pay, again and again. The owners
//! hear of each.
//!
//! A replica that was paused may put an older card back in the place of the one that was heard. Whoever misses a button therefore
//! begins anew, and so does now and then somebody who misses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::updates::NAME;

use super::bed::Bed;
use super::entries::Entry;
use super::people::{Done, Trade};
use super::person::{Person, Unheard, one_in};
use super::shift::Shift;
use super::site::{Site, Slot, sites};

/// One in so many presses is thought better of.
const FICKLE: u32 = 15;
/// One in so many tasks is left undone, shown by two photos, followed by a look at something else.
const SOME: u32 = 4;

/// A worker.
#[derive(Debug)]
pub(super) struct Worker {
    done: Done,
    sites: &'static [Site],
    /// How many shifts they have opened.
    shifts: usize,
    /// They leave the last one open.
    leaves_open: bool,
}

impl Worker {
    /// So many, where there is work for them. Half of them leave their last shift open.
    pub(super) async fn hire(bed: &Bed, count: usize) -> Vec<Self> {
        let sites: &[Site] = sites().leak();
        bed.furnish(sites).await;
        let worker = |place: usize| Self {
            done: Done::not_yet(
                Person::called(&bed.telegram, &format!("{NAME}-shift-{place}")),
                Trade::Shifts,
            ),
            sites,
            shifts: 0,
            leaves_open: place.is_multiple_of(2),
        };
        (0..count).map(worker).collect()
    }

    async fn works(&mut self, pause: Duration, over: &AtomicBool) {
        // Not all at the same moment.
        sleep(pause.mul_f64(rand::random())).await;
        while !over.load(Ordering::Relaxed) {
            if self.works_a_shift().await.is_err() {
                self.done.unheard = Some("a shift");
                return;
            }
            self.done.plays += 1;
            sleep(pause.mul_f64(rand::random_range(0.5..1.5))).await;
        }
        if self.leaves_open && self.opens().await.is_err() {
            self.done.unheard = Some("the last shift");
        }
    }

    async fn works_a_shift(&mut self) -> Result<(), Unheard> {
        let mut shift = self.opens().await?;
        for place in 0..shift.site.tasks.len() {
            if one_in(SOME) {
                continue;
            }
            self.does(&mut shift, place).await?;
            if one_in(SOME) {
                self.looks_away(&shift).await?;
            }
        }
        self.closes(&shift).await
    }

    async fn opens(&mut self) -> Result<Shift, Unheard> {
        loop {
            if let Some((site, slot)) = self.comes().await? {
                return self.has_opened(site, slot).await;
            }
            self.goes().await?;
        }
    }

    /// Presses their way to an open shift; nothing if a button is not there.
    async fn comes(&mut self) -> Result<Option<(&'static Site, &'static Slot)>, Unheard> {
        let site = &self.sites[rand::random_range(0..self.sites.len())];
        let slot = &site.slots[rand::random_range(0..site.slots.len())];
        let asked = format!("<b>{}</b>: which time slot is yours?", site.name);
        self.person().writes("/shift");
        self.person().hears("Where are you working?").await?;
        if !self.presses(site.name) {
            return Ok(None);
        }
        if site.slots.len() > 1 {
            self.person().hears(asked).await?;
            if !self.presses(&format!("🕘 {}", slot.hours())) {
                return Ok(None);
            }
        }
        self.person().hears(site.offer(slot)).await?;
        self.person().thinks().await;
        let is_open = self.presses("▶️ Open the shift");
        Ok(is_open.then_some((site, slot)))
    }

    /// Since when it is open, only the books know.
    async fn has_opened(
        &mut self,
        site: &'static Site,
        slot: &'static Slot,
    ) -> Result<Shift, Unheard> {
        let list = self.person().hears_something().await?;
        let since = list.split_once(", since ").map_or("", |(_, rest)| rest);
        let since = since.lines().next().unwrap_or_default().to_owned();
        self.shifts += 1;
        let shift =
            Shift { place: self.shifts, site, slot, since, done: vec![false; site.tasks.len()] };
        self.person().expected.push(shift.list().into());
        self.person().written.push(shift.opened());
        Ok(shift)
    }

    /// Does a task, from the list and back to it.
    async fn does(&mut self, shift: &mut Shift, place: usize) -> Result<(), Unheard> {
        let task = &shift.site.tasks[place];
        loop {
            if self.presses(&task.label(false)) {
                self.person().hears(task.card()).await?;
                self.person().thinks().await;
                if task.needs_photo {
                    self.shows(shift, place).await?;
                    break;
                }
                if self.presses("✅ Done") {
                    shift.done[place] = true;
                    self.person().hears(shift.list()).await?;
                    self.person().written.push(shift.ticked(place, None));
                    break;
                }
            }
            self.asks_anew(shift).await?;
        }
        Ok(())
    }

    /// Shows by photos that a task is done, and goes back to the list.
    async fn shows(&mut self, shift: &mut Shift, place: usize) -> Result<(), Unheard> {
        let task = &shift.site.tasks[place];
        let photos = if one_in(SOME) { 2 } else { 1 };
        shift.done[place] = true;
        for count in 1..=photos {
            let file = self.person().sends_proof();
            self.person().hears(task.shown(count)).await?;
            self.person().written.push(shift.ticked(place, Some(file)));
        }
        match self.presses("⬅️ All tasks") {
            true => self.person().hears(shift.list()).await,
            false => self.asks_anew(shift).await,
        }
    }

    async fn looks_away(&mut self, shift: &Shift) -> Result<(), Unheard> {
        self.goes().await?;
        self.asks_anew(shift).await
    }

    /// Leaves the dialogue; a shift that is open stays so.
    async fn goes(&mut self) -> Result<(), Unheard> {
        self.person().writes("/cancel");
        self.person().hears("Cancelled: 🛠 My shift.").await
    }

    /// Asks for the shift, which is open, and hears what is done in it by the books.
    async fn asks_anew(&mut self, shift: &Shift) -> Result<(), Unheard> {
        self.person().writes("/shift");
        self.person().hears(shift.list()).await
    }

    /// Closes it, with the pay that was told before.
    async fn closes(&mut self, shift: &Shift) -> Result<(), Unheard> {
        loop {
            if self.presses("🏁 Close the shift") {
                let summary = self.person().hears_something().await?;
                let pay = shift.pay(&summary);
                self.person().expected.push(shift.summary(&pay).into());
                self.person().thinks().await;
                if self.presses("✅ Close it") {
                    // On another device at the same moment: nothing comes of it.
                    self.person().presses_here("✅ Close it");
                    self.person().hears(shift.closed(&pay)).await?;
                    let entry = Entry::Closed(shift.place, pay);
                    self.person().written.push(entry);
                    return Ok(());
                }
            }
            self.asks_anew(shift).await?;
        }
    }

    /// Presses a button, unless it is not there or they think better of it.
    fn presses(&mut self, label: &str) -> bool {
        !one_in(FICKLE) && self.person().presses_here(label).is_some()
    }

    fn person(&mut self) -> &mut Person {
        &mut self.done.person
    }
}

/// Lets them work, each thinking for so long between two shifts, until it is over.
pub(super) async fn busy(
    workers: Vec<Worker>,
    pause: Duration,
    over: Arc<AtomicBool>,
) -> Vec<Done> {
    let mut tasks = JoinSet::new();
    for mut worker in workers {
        let over = Arc::clone(&over);
        tasks.spawn(async move {
            worker.works(pause, &over).await;
            worker.done
        });
    }
    tasks.join_all().await
}
