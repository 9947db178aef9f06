//! Two who work together: an owner creates orders, and a master carries each of them out and reports on it. What one of them does, the
//! other hears of. A dispatcher could create them as well, but the only one there is [answers questions](super::desk).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::patience::all_at_once;
use crate::support::updates::NAME;

use super::bed::Bed;
use super::people::{Done, Trade};
use super::person::{Person, Unheard};
use super::scripts::{ADDRESS, PHONE, TYPED_PHONE};

/// What every client pays, as it is typed and as it is told.
const TYPED_PAY: &str = "1500";
const PAY: &str = "1,500.00\u{a0}₽";

/// An owner, and the master whom they give their orders to.
#[derive(Debug)]
pub(super) struct Crew {
    owner: Done,
    master: Done,
    /// What the master is called by others, and nobody else is.
    name: String,
}

impl Crew {
    /// So many, who have introduced themselves: a master can be given orders only when the bot knows them.
    pub(super) async fn hire(bed: &Bed, count: usize) -> Vec<Self> {
        let mut crews: Vec<Self> = (0..count).map(|place| Self::new(bed, place)).collect();
        let roles = crews.iter().flat_map(|crew| {
            let (owner, master) = (crew.owner.person.id, crew.master.person.id);
            [(owner, "owner"), (master, "master")]
        });
        bed.employ(&roles.collect::<Vec<_>>()).await;
        let all = crews.iter_mut().flat_map(|crew| [&mut crew.owner, &mut crew.master]);
        all_at_once(all.map(Done::introduces_themselves)).await;
        bed.until_drained().await;
        crews
    }

    fn new(bed: &Bed, place: usize) -> Self {
        let name = format!("{NAME}-{place}");
        Self {
            owner: Done::not_yet(Person::new(&bed.telegram), Trade::Orders),
            master: Done::not_yet(Person::called(&bed.telegram, &name), Trade::Reports),
            name,
        }
    }

    async fn works(&mut self, pause: Duration, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            if self.carries_out_an_order().await.is_err() {
                self.owner.unheard = Some("an order");
                return;
            }
            self.owner.plays += 1;
            self.master.plays += 1;
            sleep(pause.mul_f64(rand::random_range(0.5..1.5))).await;
        }
    }

    async fn carries_out_an_order(&mut self) -> Result<(), Unheard> {
        let (no, problem) = self.creates().await?;
        self.reports(&no, &problem).await?;
        let news = format!(
            "{} has closed order {no}.\n\n💰 {PAY}\n🔩 Materials: None\n⭐ Review: Yes",
            self.name
        );
        self.owner.person.hears(news).await
    }

    /// The owner creates an order for the master; answers its number, and what is wrong.
    async fn creates(&mut self) -> Result<(String, String), Unheard> {
        let (person, name) = (&mut self.owner.person, &self.name);
        person.writes("/order");
        let asked = "What is to be repaired? Press a button, or type it.";
        person.hears(asked).await?;
        person.presses("Fridge");
        person.hears("What is wrong with it?").await?;
        person.thinks().await;
        let problem = person.words();
        person.writes(&problem);
        person.hears("What is the client’s name?").await?;
        person.writes("Olga");
        person.hears("At which address?").await?;
        person.writes(ADDRESS);
        let asked = "What is the client’s phone number? Type it, or attach the contact (📎).";
        person.hears(asked).await?;
        person.writes(TYPED_PHONE);
        person.hears("Who shall do it?").await?;
        person.thinks().await;
        person.presses(name);
        let about = about(&problem);
        let summary = format!("<b>Is everything right?</b>\n\n{about}\n🧰 {name}");
        person.hears(summary).await?;
        person.presses("✅ Create the order");
        // Which number it gets, only the books know: several create orders at once.
        let created = person.hears_something().await?;
        let number = created.split(' ').nth(1).unwrap_or_default().to_owned();
        let told = format!("Order {number} is created and given to {name}.");
        person.expected.push(told.into());
        Ok((number, problem))
    }

    /// The master hears of the order, and reports on it.
    async fn reports(&mut self, no: &str, problem: &str) -> Result<(), Unheard> {
        let person = &mut self.master.person;
        let yours = format!("<b>Order {no} is yours</b>\n\n{}", about(problem));
        person.hears(yours).await?;
        person.thinks().await;
        person.presses("✅ Report");
        let asked = format!("Order {no}. How much did the client pay?");
        person.hears(asked).await?;
        person.writes(TYPED_PAY);
        person.hears("Which materials did you use?").await?;
        person.presses("None");
        person.hears("Has the client written a review?").await?;
        person.thinks().await;
        person.presses("Yes");
        let summary = format!(
            "<b>Is everything right?</b>\n\n📋 Order {no}: Fridge\n💰 {PAY}\n🔩 Materials: None\n⭐ Review: Yes"
        );
        person.hears(summary).await?;
        person.presses("✅ Close the order");
        person.hears(format!("Order {no} is closed: {PAY}. Thank you!")).await
    }
}

/// What an order is about, as both of them read it.
fn about(problem: &str) -> String {
    format!("🔧 Fridge\n❗ {problem}\n👤 Olga\n📍 {ADDRESS}\n📞 {PHONE}")
}

/// Lets them work, each crew thinking for so long between two orders, until it is over.
pub(super) async fn busy(crews: Vec<Crew>, pause: Duration, over: Arc<AtomicBool>) -> Vec<Done> {
    let mut tasks = JoinSet::new();
    for mut crew in crews {
        let over = Arc::clone(&over);
        tasks.spawn(async move {
            crew.works(pause, &over).await;
            [crew.owner, crew.master]
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}
