//! Replicas are stopped and started again, one after the other, while people go on: Telegram never notices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::server::Setup;

use super::bed::{Bed, REPLICAS};
use super::checker::{self, Verdict};
use super::length;
use super::people::{self, Done, Trade};
use super::person::Person;
use super::telegram::{Telegram, text};

/// Who write meanwhile.
const PEOPLE: usize = 150;
/// How long each of them thinks between two dialogues.
const PAUSE: Duration = Duration::from_millis(1000);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the machine for itself: deploy/prove.sh runs it"]
async fn a_rolling_restart_is_not_noticed() {
    let mut bed = Bed::make(|setup: Setup| setup).await;
    let (mut rounds, began) = (0, Instant::now());
    let over = Arc::new(AtomicBool::new(false));
    let crowd = scripted(&bed.telegram, PEOPLE);
    let busy = tokio::spawn(people::busy(crowd, PAUSE, Arc::clone(&over)));
    while began.elapsed() < length() / 3 {
        rounds += 1;
        for place in 0..REPLICAS {
            let server = bed.replicas[place].leave();
            server.terminate();
            let (code, log) = server.ended().await;
            assert_eq!(code, 0, "{log:#?}");
            let telegram = Arc::clone(&bed.telegram);
            bed.replicas[place].start(&telegram).await;
        }
    }
    over.store(true, Ordering::Relaxed);
    let people = busy.await.expect("people");
    bed.until_drained().await;

    let updates = bed.telegram.emulator.updates();
    let attempts = updates.iter().flat_map(|update| &update.attempts);
    let failed: Vec<_> = attempts.clone().filter(|it| it.status != Some(200)).collect();
    let log = bed.nginx.log();
    let broken = log.matches("prematurely closed").count() + log.matches("reset by peer").count();
    let rows = [
        ("restarts, one replica after the other", rounds * REPLICAS),
        ("updates", updates.len()),
        ("times sent", attempts.count()),
        ("of those not answered with 200", failed.len()),
        ("connections that a replica refused to nginx", log.matches("Connection refused").count()),
        ("connections that a replica broke", broken),
    ];
    println!("\n| rolling restart for {:.0?} | |\n|---|---|", began.elapsed());
    for (name, count) in rows {
        println!("| {name} | {count} |");
    }
    assert!(failed.is_empty(), "{failed:?}\n{log}");
    let verdict = judge(&people, &bed.telegram);
    assert!(verdict.is_well(), "{verdict:#?}");
    assert!(verdict.effects > rounds * PEOPLE, "hardly anybody wrote: {verdict:?}");
    bed.assert_discreet();
}

/// People who are busy with the bot's own dialogues.
pub(super) fn scripted(telegram: &Arc<Telegram>, count: usize) -> Vec<(Person, Trade)> {
    let somebody = |_| (Person::new(telegram), Trade::Scripts);
    (0..count).map(somebody).collect()
}

/// Everybody heard what they expected, and none of it twice: nobody was killed.
pub(super) fn judge(people: &[Done], telegram: &Telegram) -> Verdict {
    let mut verdict = Verdict::default();
    for Done { person, unheard, .. } in people {
        assert_eq!(*unheard, None, "a reply never came");
        let sent = telegram.sent_to(&[person.id].into());
        let texts: Vec<String> = sent.iter().map(|call| text(call).to_owned()).collect();
        verdict.add(checker::dialogue(&person.expected, &texts));
    }
    verdict
}
