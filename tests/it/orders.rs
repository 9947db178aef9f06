//! Orders over whole processes: created, raced for, reported while servers die and the database refuses.

use std::time::Duration;

use tokio::time::sleep;

use crate::support::firm::Firm;
use crate::support::patience::until;
use crate::support::postgres_server::PostgresServer;
use crate::support::redis_server::RedisServer;
use crate::support::updates::{NAME, Telegram, Update};

const CREATE: &str = "✅ Create the order";
const TAKE: &str = "🙋 Take the order";
const CLOSE: &str = "✅ Close the order";

async fn firm() -> Firm {
    Firm::found(PostgresServer::shared().await.database().await).await
}

/// From the dispatcher's first word to the news that it is done; a server is killed while the order is asked for, and the other
/// one while it is reported.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_is_created_taken_and_reported_although_servers_are_killed_meanwhile() {
    let mut firm = firm().await;
    let [dispatcher, _] = firm.dispatchers;
    let [fast, slow] = firm.masters;
    let asked = firm.tells_of_an_order().await;
    firm.world.servers.remove(0).kill();
    firm.world.telegram.turn_to(&firm.world.servers);
    let confirm =
        firm.presses_and_hears(&asked, "Offer it to all masters", "Is everything right?").await;
    assert!(confirm.text().contains("+79123456789"), "{}", confirm.text());
    firm.presses_and_hears(&confirm, CREATE, "Order 1 is created and offered to 2 masters.").await;

    let offer = firm.world.api.until_said(fast, "Order 1 is free").await;
    firm.world.api.until_said(slow, "Order 1 is free").await;
    assert!(!offer.text().contains("Olga"), "the client is not told of");
    firm.presses(fast, &offer.button(TAKE)).await;
    let taken = format!("{NAME} has taken order 1.");
    firm.world.api.until_said(dispatcher, &taken).await;
    until("the other master sees it gone", async || {
        let shown = firm.world.api.shown(slow);
        shown.last()?.contains("has been taken by").then_some(())
    })
    .await;

    let server = firm.world.setup.start().await;
    firm.world.servers.push(server);
    firm.presses(fast, "lreport.1").await;
    let asked = firm.says_and_hears(fast, "1 499,90", "materials").await;
    firm.world.servers.remove(0).kill();
    firm.world.telegram.turn_to(&firm.world.servers);
    let asked = firm.presses_and_hears(&asked, "None", "review?").await;
    let confirm = firm.presses_and_hears(&asked, "Yes", "Is everything right?").await;
    firm.presses_and_hears(&confirm, CLOSE, "Order 1 is closed").await;
    firm.world.api.until_said(dispatcher, "has closed order 1.").await;
    let kept = "SELECT count(*) FROM reports WHERE order_no = 1 AND amount = 149990 AND review = 1";
    assert_eq!(firm.count(kept).await, 1);
    assert_eq!(firm.count("SELECT count(*) FROM orders WHERE status = 'closed'").await, 1);
}

/// Each master at a server of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_masters_who_take_one_order_exactly_one_gets_it_and_the_other_is_told() {
    const ROUNDS: usize = 50;
    let firm = firm().await;
    let doors = [0, 1].map(|place| Telegram::to([&firm.world.servers[place]]));
    let mut wins = [0, 0];
    for no in 1..=ROUNDS {
        firm.has_order(no, None).await;
        let press =
            |place: usize| Update::press(firm.masters[place], &format!("lorders.take {no}"));
        let (first, second) = (press(0), press(1));
        match rand::random() {
            true => drop(tokio::join!(doors[0].deliver(&first), doors[1].deliver(&second))),
            false => drop(tokio::join!(doors[1].deliver(&second), doors[0].deliver(&first))),
        }
        let (yours, faster) =
            (format!("Order {no} is yours<"), format!("Order {no} is taken: {NAME} was faster."));
        let told = |place: usize, words: &str| {
            let texts = firm.world.api.texts(firm.masters[place]);
            texts.iter().filter(|text| text.contains(words)).count()
        };
        let won = until("both are told", async || {
            let won = (0..2).find(|place| told(*place, &yours) > 0)?;
            (told(1 - won, &faster) > 0).then_some(won)
        })
        .await;
        assert_eq!([told(won, &yours), told(won, &faster)], [1, 0], "order {no}");
        assert_eq!([told(1 - won, &yours), told(1 - won, &faster)], [0, 1], "order {no}");
        let kept = format!("SELECT master FROM orders WHERE no = {no} AND status = 'assigned'");
        assert_eq!(firm.count(&kept).await, firm.masters[won]);
        wins[won] += 1;
    }
    println!("{ROUNDS} races of two masters for one order: {wins:?} got it");
    firm.world.until_lanes_are_empty(RedisServer::shared()).await;
    let news = firm.world.api.texts(firm.dispatchers[0]);
    let news = news.iter().filter(|text| text.contains("has taken order"));
    assert_eq!(news.count(), ROUNDS, "the dispatcher hears of each once");
}

/// The same press is delivered twice, and then the button is pressed once more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_handled_twice_takes_an_order_once() {
    let firm = firm().await;
    firm.has_order(1, None).await;
    let (master, press) = (firm.masters[0], Update::press(firm.masters[0], "lorders.take 1"));
    tokio::join!(firm.world.deliver(press.clone()), firm.world.deliver(press.clone()));
    firm.world.deliver(press).await;
    firm.world.api.until_said(master, "Order 1 is yours").await;
    firm.presses(master, "lorders.take 1").await;
    firm.world.api.until_said(master, "Order 1 is yours already.").await;
    firm.world.until_lanes_are_empty(RedisServer::shared()).await;
    let count = |chat: i64, words: &str| {
        let texts = firm.world.api.texts(chat);
        texts.iter().filter(|text| text.contains(words)).count()
    };
    assert_eq!(count(master, "Order 1 is yours<"), 1);
    assert_eq!(count(firm.dispatchers[0], "has taken order 1"), 1);
}

/// Two dispatchers confirm at once, each at a server of their own: two orders, two numbers, and each is told their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_that_are_created_at_once_have_numbers_of_their_own() {
    let firm = firm().await;
    let doors = [0, 1].map(|place| Telegram::to([&firm.world.servers[place]]));
    let mut confirms = Vec::new();
    for dispatcher in firm.dispatchers {
        for words in ["/order", "Lift", "It is stuck", "Olga", "Lenin St. 5", "9123456789"] {
            firm.says(dispatcher, words).await;
        }
        let asked = firm.world.api.until_said(dispatcher, "Who shall do it?").await;
        let confirm = firm.presses_and_hears(&asked, "Offer it to all masters", "right?").await;
        confirms.push(Update::press(dispatcher, &confirm.button(CREATE)));
    }
    tokio::join!(doors[0].deliver(&confirms[0]), doors[1].deliver(&confirms[1]));
    let mut numbers = Vec::new();
    for dispatcher in firm.dispatchers {
        let created = firm.world.api.until_said(dispatcher, "is created").await;
        numbers.push(created.text()["Order ".len()..].split(' ').next().map(str::to_owned));
    }
    numbers.sort();
    assert_eq!(numbers, ["1", "2"].map(|no| Some(no.to_owned())));
    assert_eq!(firm.count("SELECT count(DISTINCT no) FROM orders").await, 2);
}

/// The error of a finishing step: it never traps the master, and what they typed is neither lost nor written twice, whatever the
/// operator does with the dead letter afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_the_database_rejects_traps_nobody_and_is_neither_lost_nor_doubled() {
    let firm = firm().await;
    let master = firm.masters[0];
    firm.has_order(1, Some(master)).await;
    firm.execute("ALTER TABLE reports ADD CONSTRAINT never CHECK (amount < 0)").await;
    let confirm = firm.reports(master, 1).await;
    let told = firm.world.api.sent(master).len();
    firm.presses(master, &confirm.button(CLOSE)).await;
    let sent = firm.world.api.until_sent(master, told + 2).await;
    assert!(sent[told].text().contains("could not be saved"), "{}", sent[told].text());
    let again = &sent[told + 1];
    assert!(again.text().contains("1,500"), "{}", again.text());
    assert_eq!(firm.count("SELECT count(*) FROM orders WHERE status = 'assigned'").await, 1);
    assert_eq!(firm.count("SELECT count(*) FROM reports").await, 0);

    firm.says_and_hears(master, "/cancel", "Cancelled").await;
    firm.execute("ALTER TABLE reports DROP CONSTRAINT never").await;
    let confirm = firm.reports(master, 1).await;
    firm.presses_and_hears(&confirm, CLOSE, "Order 1 is closed").await;
    let (code, listed) = firm.world.command(&["dead-letters", "list"]);
    assert_eq!(code, 0, "{listed}");
    let letter = listed.lines().find(|line| line.contains("never"));
    let letter = letter.unwrap_or_else(|| panic!("no letter tells of the constraint: {listed}"));
    let id = letter.split_whitespace().next().unwrap_or_default();
    assert_eq!(firm.world.command(&["dead-letters", "retry", id]).0, 0);
    firm.world.api.until_said(master, "Order 1 is not open any more").await;
    assert_eq!(firm.count("SELECT count(*) FROM reports").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_the_database_rejects_is_shown_once_more_and_created_once() {
    let firm = firm().await;
    let dispatcher = firm.dispatchers[0];
    firm.execute("ALTER TABLE orders ADD CONSTRAINT never CHECK (no < 0)").await;
    let asked = firm.tells_of_an_order().await;
    let confirm = firm.presses_and_hears(&asked, "Offer it to all masters", "right?").await;
    let told = firm.world.api.sent(dispatcher).len();
    firm.presses(dispatcher, &confirm.button(CREATE)).await;
    let sent = firm.world.api.until_sent(dispatcher, told + 2).await;
    assert!(sent[told].text().contains("could not be saved"), "{}", sent[told].text());
    firm.execute("ALTER TABLE orders DROP CONSTRAINT never").await;
    firm.presses_and_hears(&sent[told + 1], CREATE, "Order 1 is created").await;
    assert_eq!(firm.count("SELECT count(*) FROM orders").await, 1);
    for master in firm.masters {
        firm.world.api.until_said(master, "Order 1 is free").await;
        assert_eq!(
            firm.world.told(master).await.iter().filter(|text| text.contains("is free")).count(),
            1
        );
    }
}

/// The database is stopped under a master's finger. What is pressed comes again until it can be taken in; who wants to leave can.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_given_while_the_database_is_away_is_written_once_when_it_is_back() {
    let start = || PostgresServer::start();
    let mut postgres = tokio::task::spawn_blocking(start).await.expect("a server");
    let firm = Firm::found(postgres.database().await).await;
    let [steady, hasty] = firm.masters;
    firm.has_order(1, Some(steady)).await;
    firm.has_order(2, Some(hasty)).await;
    let confirm = firm.reports(steady, 1).await;
    firm.reports(hasty, 2).await;
    tokio::task::block_in_place(|| postgres.stop());
    let close = Update::press(steady, &confirm.button(CLOSE));
    let back = async {
        firm.says_and_hears(hasty, "/cancel", "Cancelled").await;
        sleep(Duration::from_secs(3)).await;
        tokio::task::block_in_place(|| postgres.restart());
    };
    tokio::join!(firm.world.telegram.deliver(&close), back);
    firm.world.api.until_said(steady, "Order 1 is closed").await;
    assert_eq!(firm.count("SELECT count(*) FROM reports").await, 1);
    assert_eq!(firm.count("SELECT no FROM orders WHERE status = 'assigned'").await, 2);
    let confirm = firm.reports(hasty, 2).await;
    firm.presses_and_hears(&confirm, CLOSE, "Order 2 is closed").await;
}

/// A master whose role was taken away between the question and the answer: the records guard once more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_is_not_taken_by_a_forged_button() {
    let firm = firm().await;
    firm.has_order(1, None).await;
    for user in [firm.worker, firm.dispatchers[0]] {
        firm.presses(user, "lorders.take 1").await;
        firm.world.api.until_said(user, "for others").await;
    }
    assert_eq!(firm.count("SELECT count(*) FROM orders WHERE status = 'new'").await, 1);
}
