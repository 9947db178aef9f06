//! Records that are refused, unavailable or broken: people are told the truth, and never what did not happen.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::store::{Item, Lane, Memory, Token};
use steadfast::telemetry;
use tokio::time::sleep;

use crate::support::bed::{aside, messages};
use crate::support::bot_api::Reply;
use crate::support::company::{Build, Company, OFFICE};
use crate::support::patience::until;
use crate::support::updates::someone;
use crate::support::watched::{Fault, Watched};

/// Does this until everything it leads to is said: then the last text is that of one more command.
async fn told(company: &Company, user: i64) -> Vec<String> {
    company.hear(user, "/say over").await;
    company.api.until_said(user, "over").await;
    let mut texts = company.api.texts(user);
    texts.pop();
    texts
}

#[tokio::test]
async fn what_is_written_is_told_after_it_is_written() {
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/take this").await;
    assert_eq!(told(&company, user).await, ["It is yours."]);
    let taken = json!({ "do": "take", "what": "this" });
    assert_eq!(company.ledger.written(), [taken]);
    company.api.until_said(OFFICE, "this is taken").await;
}

/// The rest of its step is skipped, also what others were to be told.
#[tokio::test]
async fn a_refused_record_is_told_by_its_flow_and_never_the_success() {
    let company = Company::meet().await;
    let (fast, slow) = (someone(), someone());
    company.hear(fast, "/take this").await;
    company.api.until_said(OFFICE, "this is taken").await;
    company.hear(slow, "/take this").await;
    assert_eq!(told(&company, slow).await, ["Somebody else was faster."]);
    assert_eq!(company.api.sent(OFFICE).len(), 1);
    assert!(company.letters().await.is_empty());
}

/// The refusal ends the line, and what its flow has to tell others begins it anew for another worker: nobody was fenced off.
#[tokio::test]
async fn a_refusal_that_tells_others_is_not_taken_for_a_lost_lane() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let company = Company::meet().await;
    let (fast, slow) = (someone(), someone());
    company.hear(fast, "/take this").await;
    told(&company, fast).await;
    company.hear(slow, "/claim this").await;
    company.api.until_said(OFFICE, "It was claimed in vain.").await;
    assert_eq!(told(&company, slow).await, ["Somebody else was faster."]);
    until("nothing waits", async || {
        let backlog = company.store.backlog().await.expect("the backlog");
        (backlog.lanes == 0).then_some(())
    })
    .await;
    let page = recorder.handle().render();
    assert!(page.contains("steadfast_outbox_stale_token_total 0"), "{page}");
}

/// Its author has put the words before the deed.
#[tokio::test]
async fn what_a_step_says_before_its_record_waits_for_it_all_the_same() {
    let company = Company::meet().await;
    let (fast, slow) = (someone(), someone());
    company.ledger.is_away.store(true, Ordering::Relaxed);
    company.hear(fast, "/boast this").await;
    until("it is tried", async || (company.ledger.tries.load(Ordering::Relaxed) > 1).then_some(()))
        .await;
    assert!(company.api.sent(fast).is_empty(), "it is not theirs yet");
    company.ledger.is_away.store(false, Ordering::Relaxed);
    assert_eq!(told(&company, fast).await, ["It is yours."]);
    company.hear(slow, "/boast this").await;
    assert_eq!(told(&company, slow).await, ["Somebody else was faster."]);
    company.api.until_sent(OFFICE, 1).await;
    assert_eq!(company.api.texts(OFFICE), ["It is gone."]);
}

/// In the middle of a rollout, what the old replica makes nothing of is written by the new one.
#[tokio::test]
async fn a_command_that_only_a_newer_replica_knows_is_left_to_it() {
    let company = Company::of([Build::Old, Build::New]).await;
    let people: Vec<i64> = (0..6).map(|_| someone()).collect();
    // Each replica has heard of the other.
    let first = someone();
    until("both are alive", async || {
        let pulse = company.store.beat("the test", None).await;
        (pulse.expect("a pulse").replicas.len() == 2).then_some(())
    })
    .await;
    sleep(Duration::from_secs(3)).await;
    company.hear(first, "/do novel").await;
    for user in &people {
        company.hear(*user, "/do novel").await;
    }
    for user in people.iter().chain([&first]) {
        company.api.until_said(*user, "It is done.").await;
    }
    assert_eq!(company.ledger.written().len(), people.len() + 1);
    assert!(company.letters().await.is_empty());
}

/// The same for what is written aside, and for an effect that is of a kind nobody here has heard of: one alive may have.
#[tokio::test]
async fn what_only_another_build_may_know_is_left_alone() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let company = Company::of([Build::Old, Build::New]).await;
    until("both are alive", async || {
        let pulse = company.store.beat("the test", None).await;
        (pulse.expect("a pulse").replicas.len() == 2).then_some(())
    })
    .await;
    sleep(Duration::from_secs(3)).await;
    let people: Vec<i64> = (0..10).map(|_| someone()).collect();
    let push = async |lane: Lane, body: Value| {
        let item = Item { id: format!("1.{}.0", lane.chat), body: body.to_string().into() };
        // Left to whoever looks next.
        let token = Token::fresh();
        let pushed = company.store.push(lane, token, &item).await;
        pushed.expect("pushed");
        let left = company.store.retry(lane, token, Duration::ZERO).await;
        assert_eq!(left, Ok(true));
    };
    for (before, user) in people.iter().enumerate() {
        let command = json!({ "do": "novel" });
        let record =
            json!({ "do": "record", "flow": "", "user": user, "command": command, "aside": true });
        push(aside(*user), record).await;
        until("it is written", async || (company.ledger.written().len() > before).then_some(()))
            .await;
    }
    push(messages(people[0]), json!({ "do": "sing" })).await;
    let claims = |source: &str| {
        let page = recorder.handle().render();
        let label = format!("steadfast_outbox_claims_total{{source=\"{source}\"}} ");
        let line = page.lines().find_map(|line| line.strip_prefix(&*label));
        line.map_or(0, |count| count.parse::<u64>().expect("a number"))
    };
    let before = claims("sweep");
    until("it was taken up, and left, again and again", async || {
        (claims("sweep") > before + 2).then_some(())
    })
    .await;
    assert!(company.letters().await.is_empty());
}

/// Nobody else can know it: it is put aside, and the person told.
#[tokio::test]
async fn a_command_that_no_replica_knows_is_put_aside() {
    let company = Company::of([Build::Old; 2]).await;
    let user = someone();
    company.hear(user, "/do novel").await;
    company.api.until_sent(user, 1).await;
    assert_eq!(company.api.texts(user), ["We are sorry."]);
    assert_eq!(company.letters().await.len(), 1);
}

/// Fifty times two people take the same at once, each at their own replica: one is told yes, the other the truth.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_race_for_a_record_exactly_one_is_told_yes() {
    const ROUNDS: usize = 50;
    let company = Company::meet().await;
    let mut wins = [0, 0];
    for round in 0..ROUNDS {
        let (one, other) = (someone(), someone());
        let take = format!("/take {round}");
        match rand::random() {
            true => tokio::join!(company.hear(one, &take), company.hear(other, &take)),
            false => tokio::join!(company.hear(other, &take), company.hear(one, &take)),
        };
        let told = [told(&company, one).await, told(&company, other).await];
        let won = told.iter().position(|told| told == &["It is yours."]);
        let won = won.unwrap_or_else(|| panic!("nobody won: {told:?}"));
        assert_eq!(told[1 - won], ["Somebody else was faster."]);
        wins[won] += 1;
    }
    until("the office has heard of each once", async || {
        (company.api.sent(OFFICE).len() == ROUNDS).then_some(())
    })
    .await;
    assert_eq!(company.ledger.written().len(), ROUNDS);
    println!("{ROUNDS} races for one record: {wins:?} were told yes");
}

/// Its flow does not know of refusals, or not of this reason: the person is told all the same.
#[tokio::test]
async fn a_refusal_that_its_flow_does_not_know_is_told_plainly() {
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/do forbid").await;
    assert_eq!(told(&company, user).await, ["It could not be done: not today."]);
}

/// The flow waits for something else by now: what it says about a bad answer is not about this.
#[tokio::test]
async fn a_refusal_is_not_answered_by_a_hint() {
    let company = Company::meet().await;
    let (fast, slow) = (someone(), someone());
    company.hear(fast, "/take this").await;
    told(&company, fast).await;
    company.hear(slow, "/order this").await;
    company.api.until_sent(slow, 1).await;
    assert_eq!(
        company.api.texts(slow),
        ["It could not be done: taken."],
        "neither `Ordered.` nor `A number, please.`"
    );
}

/// The flow hears of it and has nothing to say: what comes after it is not held up.
#[tokio::test]
async fn a_refusal_that_is_taken_in_silence_holds_up_nothing() {
    let company = Company::meet().await;
    let (fast, slow) = (someone(), someone());
    company.hear(fast, "/take this").await;
    told(&company, fast).await;
    company.hear(slow, "/hush this").await;
    until("nothing waits", async || {
        let backlog = company.store.backlog().await.expect("the backlog");
        (backlog.lanes == 0).then_some(())
    })
    .await;
    company.hear(slow, "end").await;
    company.api.until_said(slow, "The end.").await;
    assert_eq!(company.api.texts(slow), ["The end."]);
}

/// The refused record stands in line itself: a flow that reads before it hears of it must not wait for that line.
#[tokio::test]
async fn a_refusal_reaches_a_flow_that_reads() {
    let company = Company::meet().await;
    let (fast, slow) = (someone(), someone());
    company.hear(fast, "/take this").await;
    told(&company, fast).await;
    company.hear(slow, "/wonder this").await;
    company.api.until_said(slow, "1 so far").await;
    assert_eq!(told(&company, slow).await, ["1 so far"]);
}

/// A command that can never work is kept for people to look at, with an apology to who gave it.
#[tokio::test]
async fn a_broken_record_is_a_dead_letter_and_an_apology() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/do break").await;
    assert_eq!(told(&company, user).await, ["We are sorry."]);
    let counted = "steadfast_dead_letters_total{kind=\"effect\",reason=\"unrecorded\"} 1";
    let page = recorder.handle().render();
    assert!(page.contains(counted), "{page}");
    let letters = company.letters().await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(letters[0]["reason"], "no such table");
    assert_eq!(letters[0]["body"]["command"], json!({ "do": "break" }));
}

/// The apology cannot be committed at once: however often it is tried, there is one letter.
#[tokio::test]
async fn a_broken_record_is_one_dead_letter_however_often_it_is_tried() {
    let store = Arc::new(Watched::new(Arc::new(Memory::new())));
    let company = Company::meet_at(Arc::clone(&store) as _).await;
    let user = someone();
    company.ledger.is_away.store(true, Ordering::Relaxed);
    company.hear(user, "/do break").await;
    // Each turn commits twice before it gives up.
    store.fail("commit", Fault::Before, 4);
    company.ledger.is_away.store(false, Ordering::Relaxed);
    company.api.until_said(user, "We are sorry.").await;
    let letters = company.letters().await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(letters[0]["reason"], "no such table");
}

/// While the database is away, nothing is said about what is not written, later messages wait behind it, and others go on.
#[tokio::test]
async fn while_the_database_is_away_records_wait_and_so_does_what_is_said_about_them() {
    let company = Company::meet().await;
    let (user, other) = (someone(), someone());
    company.ledger.is_away.store(true, Ordering::Relaxed);
    company.hear(user, "/take this").await;
    company.hear(user, "/say later").await;
    company.hear(other, "/say now").await;
    company.api.until_said(other, "now").await;
    sleep(Duration::from_millis(1500)).await;
    assert!(company.api.sent(user).is_empty(), "nothing is true yet");
    company.ledger.is_away.store(false, Ordering::Relaxed);
    assert_eq!(told(&company, user).await, ["It is yours.", "later"]);
    assert_eq!(company.ledger.written().len(), 1);
    assert!(company.letters().await.is_empty());
}

/// Telegram is away, and records are written all the same.
#[tokio::test]
async fn records_never_wait_for_telegram() {
    let company = Company::meet().await;
    company.api.shut_door();
    let people: Vec<i64> = (0..10).map(|_| someone()).collect();
    for user in &people {
        company.hear(*user, &format!("/take {user}")).await;
    }
    until("all are written", async || {
        (company.ledger.written().len() == people.len()).then_some(())
    })
    .await;
    company.api.open_door();
    for user in people {
        assert_eq!(told(&company, user).await, ["It is yours."]);
    }
}

/// What somebody has just done is in what they read next.
#[tokio::test]
async fn a_turn_that_reads_waits_for_the_records_before_it() {
    let company = Company::meet().await;
    for _ in 0..5 {
        let (user, before) = (someone(), company.ledger.written().len());
        company.hear(user, "/do slow").await;
        company.hear(user, "/count").await;
        let count = format!("{} so far", before + 1);
        assert_eq!(told(&company, user).await, ["It is done.".to_owned(), count]);
    }
}

/// It does not wait for ever: the update comes again instead.
#[tokio::test]
async fn a_turn_that_reads_is_refused_while_records_before_it_cannot_be_written() {
    let company = Company::meet().await;
    let user = someone();
    company.ledger.is_away.store(true, Ordering::Relaxed);
    company.hear(user, "/do it").await;
    assert!(company.try_hear(user, "/count").await.is_err());
    company.ledger.is_away.store(false, Ordering::Relaxed);
    until("it is written", async || (company.ledger.written().len() == 1).then_some(())).await;
    until("it can be read", async || company.try_hear(user, "/count").await.ok()).await;
    company.api.until_said(user, "1 so far").await;
}

/// A record that takes its time shows that something happens.
#[tokio::test]
async fn a_slow_record_shows_that_something_happens() {
    let company = Company::meet().await;
    let (_, call) = company.shows("/do crawl").await;
    assert_eq!(call.method, "sendchataction");
    company.api.until_said(call.chat(), "It is done.").await;
}

/// Telegram takes the courtesy and does not answer: the record does not wait for it.
#[tokio::test]
async fn a_slow_record_never_waits_for_what_it_shows() {
    let company = Company::meet().await;
    company.api.rule(|call| match call.method.as_str() {
        "sendchataction" => Reply::Held,
        _ => Reply::Ok,
    });
    let (user, call) = company.shows("/do crawl").await;
    assert_eq!(call.method, "sendchataction");
    company.api.until_said(user, "It is done.").await;
    let shown = company.api.calls_of("sendChatAction").remove(0);
    assert_eq!(shown.answered, None, "it is not answered yet");
}

/// The database is slow and away: every attempt takes long, and only the first shows it at each replica.
#[tokio::test]
async fn a_record_shows_once_that_it_takes_long() {
    let company = Company::meet().await;
    company.ledger.is_away.store(true, Ordering::Relaxed);
    let (user, call) = company.shows("/do crawl").await;
    assert_eq!(call.method, "sendchataction");
    until("it was tried often enough", async || {
        (company.ledger.tries.load(Ordering::Relaxed) > 3).then_some(())
    })
    .await;
    company.ledger.is_away.store(false, Ordering::Relaxed);
    company.api.until_said(user, "It is done.").await;
    assert!(company.api.calls_of("sendChatAction").len() <= 2);
}

/// Telegram has told the chat to wait: not even a courtesy is sent there.
#[tokio::test]
async fn a_slow_record_shows_nothing_in_a_chat_that_is_to_wait() {
    let company = Company::meet().await;
    let (user, other) = (someone(), someone());
    company.api.plan_for(user, [Reply::TooMany(600)]);
    company.hear(user, "/say hello").await;
    company.api.until_called("sendMessage", 1).await;
    // Every other update goes to the replica that was told.
    company.hear(other, "/say hello").await;
    company.hear(user, "/do crawl").await;
    until("it is written", async || (company.ledger.written().len() == 1).then_some(())).await;
    assert!(company.api.calls_of("sendChatAction").is_empty());
}

/// Who has blocked the bot is not shown that something happens.
#[tokio::test]
async fn a_slow_record_shows_nothing_where_nothing_may_be_sent() {
    let company = Company::meet().await;
    let user = someone();
    company.hear(user, "/do crawl").await;
    company.store.block(user, None).await.expect("a mark");
    until("it is written", async || (company.ledger.written().len() == 1).then_some(())).await;
    assert!(company.api.calls_of("sendChatAction").is_empty());
}
