//! A thousand people, and everything that can be done to a cluster: nothing is lost, nothing is doubled, and it is proved.

use std::collections::{BTreeMap, HashMap};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use steadfast::emulator::{Call, State};
use steadfast::store;
use tokio::time::sleep;

use crate::support::chain_bot;
use crate::support::patience::all_at_once;

use super::account::Account;
use super::bed::{Bed, REPLICAS};
use super::checker::{self, Expected, Verdict};
use super::crew::{self, Crew};
use super::desk::Desk;
use super::entries::{self, Entry, Line};
use super::faults;
use super::length;
use super::people::{self, Done, Trade};
use super::person::Person;
use super::rolling;
use super::scripts::SCRIPTS;
use super::shift;
use super::telegram::{Novelty, Repeats, Telegram, is_aside, is_introduction};
use super::worker::{self, Worker};

/// How many they are, crews, desk and workers apart.
const PEOPLE: usize = 1200;
/// How many of all lead the bot's own dialogues at least.
const OF_THE_BOT: usize = 1000;
/// How long each of them thinks between two dialogues.
const PAUSE: Duration = Duration::from_millis(5000);
/// Who create orders, and who carry them out: so many of each. No more than a page of masters to choose from.
const CREWS: usize = 5;
/// Who work in shifts, of which every owner hears.
const WORKERS: usize = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the machine for itself: deploy/prove.sh runs it"]
async fn nothing_is_lost_or_doubled_whatever_is_done_to_the_cluster() {
    let mut bed = Bed::make(chain_bot::set_up).await;
    let telegram = Arc::clone(&bed.telegram);
    let length = length();
    let (crews, desk) = (Crew::hire(&bed, CREWS).await, Desk::hire(&bed).await);
    let workers = Worker::hire(&bed, WORKERS).await;
    let crowd = people::crowd(&telegram, PEOPLE);
    let takers = crowd.iter().filter(|(_, trade)| *trade == Trade::Coupons);
    let takers: Vec<i64> = takers.map(|(person, _)| person.id).collect();
    bed.stock(&takers, coupons(length)).await;

    let over = Arc::new(AtomicBool::new(false));
    let busy = tokio::spawn(people::busy(crowd, PAUSE, Arc::clone(&over)));
    let crews = tokio::spawn(crew::busy(crews, PAUSE, Arc::clone(&over)));
    let desk = tokio::spawn(desk.busy(PAUSE, Arc::clone(&over)));
    let workers = tokio::spawn(worker::busy(workers, PAUSE, Arc::clone(&over)));
    let until = Instant::now() + length;
    let injuries = faults::inject(&mut bed, until).await;
    over.store(true, Ordering::Relaxed);
    let end = telegram.now();
    let mut people = busy.await.expect("people");
    people.extend(crews.await.expect("crews"));
    people.extend(desk.await.expect("a desk"));
    people.extend(workers.await.expect("workers"));
    bed.until_drained().await;

    let (updates, sent, live) = (telegram.emulator.updates(), telegram.sent(), bed.live().await);
    let shifts = people.iter().filter(|it| it.trade == Trade::Shifts);
    let mut account = Account {
        people: people.len(),
        shifts: shifts.map(|it| it.plays).sum(),
        verdict: judge(&people, &sent, &live, &bed),
        ..Account::default()
    };
    account.read_updates(&updates, &injuries, end);
    account.read_calls(&sent, &injuries);
    account.read_injuries(&injuries);
    println!("\n{}", account.table(&format!("{REPLICAS} replicas for {} s", length.as_secs())));
    // The last scrape.
    sleep(Duration::from_secs(2)).await;
    println!("{}", bed.assert_metered(&updates, &injuries).await);

    bed.assert_nothing_put_aside();
    assert_well(&account, &people);
    assert_left_there(&people, &live);
    bed.assert_counted(&live).await;
    bed.assert_no_orphans(&live);
    bed.until_downloaded().await;
    bed.assert_recorded(&confirmed(&people)).await;
    bed.assert_alive().await;
    assert_served(&telegram).await;
    bed.until_drained().await;
    bed.assert_discreet();
}

/// As many as anybody can take: one for each of the shortest pauses there are, also where the last faults take their time.
fn coupons(length: Duration) -> usize {
    const LATE: Duration = Duration::from_secs(1000);
    let plays = (length + LATE).div_duration_f64(PAUSE / 2);
    plays as usize + 1
}

/// Everything that has to be so, and that the run was worth the name.
fn assert_well(account: &Account, people: &[Done]) {
    let unheard: Vec<_> = people.iter().filter_map(|done| done.unheard).collect();
    assert!(unheard.is_empty(), "replies never came: {unheard:?}");
    assert!(account.verdict.is_well(), "{:#?}", account.verdict);
    assert_eq!(account.unacknowledged, 0);
    assert_eq!(account.unexplained, Vec::<String>::new());
    assert!(account.repeated <= account.ambiguous);
    let own = people.iter().filter(|it| it.trade.is_of_the_bot()).count();
    assert!(own >= OF_THE_BOT, "{own}");
    assert!(account.shifts >= WORKERS, "hardly anybody worked");
    assert_eq!(account.shortcomings(), Vec::<&str>::new());
    for trade in Trade::ALL {
        let theirs = || people.iter().filter(|it| it.trade == trade);
        let (count, plays) = (theirs().count(), theirs().map(|it| it.plays).sum::<usize>());
        assert!(plays >= count.max(1), "{trade:?}: {plays} of {count} people");
    }
}

/// Whoever left a dialogue open is in it, and nobody else is in any.
fn assert_left_there(people: &[Done], live: &[store::Person]) {
    let there = live.iter().map(|it| (it.key.user, it.labels.join(", ")));
    let mut there: BTreeMap<i64, String> = there.collect();
    let is_elsewhere = |done: &&Done| there.remove(&done.person.id).as_deref() != done.left_in();
    let elsewhere: Vec<i64> =
        people.iter().filter(is_elsewhere).map(|done| done.person.id).collect();
    assert_eq!((elsewhere, there), (Vec::new(), BTreeMap::new()));
}

/// After the last fault every dialogue is played from its beginning to its end, by people who come by the way that all take.
async fn assert_served(telegram: &Arc<Telegram>) {
    let newcomers = SCRIPTS.iter().map(async |script| {
        let mut newcomer = Done::not_yet(Person::new(telegram), Trade::Scripts);
        let played = (script.play)(&mut newcomer.person).await;
        newcomer.unheard = played.is_err().then_some(script.name);
        newcomer
    });
    let newcomers = all_at_once(newcomers).await;
    let verdict = rolling::judge(&newcomers, telegram);
    assert!(verdict.is_well(), "{verdict:#?}");
}

/// What the books are to hold: everybody, and whatever they were told is written. By now they have heard all that they expected.
fn confirmed(people: &[Done]) -> Vec<Line> {
    let lines = people.iter().flat_map(|Done { person, .. }| {
        let told = person.expected.iter().flat_map(|Expected(one_of)| one_of);
        let mut written: Vec<Entry> = told.filter_map(|told| entries::confirmed(told)).collect();
        entries::overwrite(&mut written);
        let all = iter::once(Entry::Person).chain(written);
        let all = all.chain(person.written.iter().cloned());
        all.map(|entry| (person.id, entry))
    });
    lines.collect()
}

/// Holds what everybody did against what they were told, and chains against what is kept of them.
fn judge(people: &[Done], sent: &[Call], live: &[store::Person], bed: &Bed) -> Verdict {
    let mut heard: HashMap<i64, Vec<&Call>> = HashMap::new();
    for call in sent {
        heard.entry(call.chat()).or_default().push(call);
    }
    let kept: HashMap<i64, String> = live
        .iter()
        .map(|person| (person.key.user, String::from_utf8_lossy(&person.body).into_owned()))
        .collect();
    let news = news(people);
    let mut verdict = Verdict::default();
    for Done { person, trade, .. } in people {
        let mut calls = heard.remove(&person.id).unwrap_or_default();
        let mut repeats = Repeats::default();
        calls.retain(|call| repeats.meet(call) == Novelty::New);
        let texts = calls.iter().map(|it| super::telegram::text(it).to_owned());
        let is_aside = |text: &String| *trade == Trade::Orders && is_aside(text);
        let (aside, texts): (Vec<String>, Vec<String>) = texts.partition(is_aside);
        if *trade == Trade::Orders {
            let (met, aside) = aside.into_iter().partition(|it| is_introduction(it));
            verdict.add(checker::at_most_once(met));
            verdict.add(checker::threads(&news, &aside));
        }
        verdict.add(match trade {
            Trade::Chain => {
                let mut said = person.said.clone();
                for said in &mut said {
                    let update = bed.telegram.emulator.update(said.update);
                    said.acknowledged = update.is_some_and(|it| it.state == State::Acknowledged);
                }
                checker::chain(&said, &texts, kept.get(&person.id).map_or("", String::as_str))
            }
            _ => checker::dialogue(&person.expected, &texts),
        });
    }
    verdict
}

/// What every owner is to hear of shifts, of each worker in order.
fn news(people: &[Done]) -> Vec<Vec<Expected>> {
    let of_one = people.iter().map(|Done { person, .. }| {
        let told = person.expected.iter().flat_map(|Expected(one_of)| one_of);
        let news = told.filter_map(|told| shift::news(&person.name, told));
        news.map(Expected::from).collect()
    });
    of_one.collect()
}
