//! Conversations over whole processes: raced for, passed on both ways, by buttons and by answering messages.

use crate::support::firm::Firm;
use crate::support::patience::until;
use crate::support::postgres_server::PostgresServer;
use crate::support::updates::{NAME, Telegram, Update};

async fn firm() -> Firm {
    Firm::found(PostgresServer::shared().await.database().await).await
}

/// The message of this conversation that came last into this chat.
async fn relayed(firm: &Firm, chat: i64, count: i64) -> i64 {
    until("the message is noted", async || {
        let noted = format!("SELECT count(*) FROM relays WHERE chat = {chat}");
        (firm.count(&noted).await == count).then_some(())
    })
    .await;
    firm.count(&format!("SELECT max(message) FROM relays WHERE chat = {chat}")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_passed_on_and_so_are_the_answers_until_one_side_ends_it() {
    let firm = firm().await;
    let (worker, [dispatcher, other]) = (firm.worker, firm.dispatchers);
    firm.says(worker, "/support").await;
    firm.says(worker, "Where is the key?").await;
    let asked = firm.world.api.until_said(dispatcher, "Where is the key?").await;
    firm.world.api.until_said(other, "Where is the key?").await;
    firm.presses_and_hears(&asked, "↩️ Reply", "You are talking with").await;
    firm.says(dispatcher, "Under the mat").await;
    firm.world.api.until_said(worker, "Under the mat").await;
    firm.says(worker, "Found it").await;
    firm.world.api.until_said(dispatcher, "Found it").await;

    // The dispatcher is busy with an order, and answers the message itself.
    firm.says_and_hears(dispatcher, "/order", "to be repaired").await;
    let message = relayed(&firm, dispatcher, 2).await;
    let reply = Update::text(dispatcher, "Good").replying_to(message);
    firm.world.deliver(reply).await;
    firm.world.api.until_said(worker, "Good").await;
    firm.says_and_hears(dispatcher, "Lift", "What is wrong").await;

    let message = relayed(&firm, worker, 2).await;
    firm.says(worker, "/cancel").await;
    firm.world.deliver(Update::photo(worker).replying_to(message)).await;
    until("the photo is passed on", async || {
        let photos = firm.world.api.calls_of("sendPhoto");
        photos.iter().any(|call| call.chat() == dispatcher).then_some(())
    })
    .await;
    assert!(!firm.world.api.texts(other).iter().any(|text| text.contains("Found it")));

    firm.presses(dispatcher, &asked.button("↩️ Reply")).await;
    let talking = firm.world.api.until_said(dispatcher, "You are talking with").await;
    firm.presses_and_hears(&talking, "🏁 End the conversation", "Continue where you stopped?")
        .await;
    firm.world.api.until_said(worker, "has ended the conversation").await;
    assert_eq!(firm.count("SELECT count(*) FROM conversations WHERE closed_at IS NULL").await, 0);
}

/// Each dispatcher at a server of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_dispatchers_who_reply_exactly_one_answers_and_the_other_is_told() {
    const ROUNDS: usize = 20;
    let firm = firm().await;
    let doors = [0, 1].map(|place| Telegram::to([&firm.world.servers[place]]));
    for round in 0..ROUNDS {
        firm.execute(&format!(
            "INSERT INTO conversations (id, person, opened_at) VALUES ('c{round}', {}, 0)",
            firm.worker
        ))
        .await;
        let press = |place: usize| {
            Update::press(firm.dispatchers[place], &format!("lsupport.reply c{round}"))
        };
        let (first, second) = (press(0), press(1));
        let told = [0, 1].map(|place| firm.world.api.sent(firm.dispatchers[place]).len());
        tokio::join!(doors[0].deliver(&first), doors[1].deliver(&second));
        let news = async |place: usize| {
            let sent = firm.world.api.until_sent(firm.dispatchers[place], told[place] + 1).await;
            sent[told[place]].text().to_owned()
        };
        let news = [news(0).await, news(1).await];
        let won = news.iter().position(|text| text.starts_with("You are talking with"));
        let won = won.unwrap_or_else(|| panic!("nobody answers: {news:?}"));
        assert_eq!(news[1 - won], format!("{NAME} is answering already."));
        let kept = format!("SELECT dispatcher FROM conversations WHERE id = 'c{round}'");
        assert_eq!(firm.count(&kept).await, firm.dispatchers[won]);
        for user in firm.dispatchers {
            firm.says(user, "/cancel").await;
            firm.world.api.until_said(user, "").await;
        }
        for (user, words) in
            [(firm.dispatchers[won], "Cancelled"), (firm.dispatchers[1 - won], "nothing to cancel")]
        {
            firm.world.api.until_said(user, words).await;
        }
    }
}

/// A master who was at the desk as well is not any more, in the middle of a conversation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_the_desk_leaves_their_conversations_to_the_others() {
    let firm = firm().await;
    let (worker, [dispatcher, _], [leaving, _]) = (firm.worker, firm.dispatchers, firm.masters);
    let give =
        format!("INSERT INTO roles (role, user_id, given_at) VALUES ('dispatcher', {leaving}, 0)");
    firm.execute(&give).await;
    firm.says(worker, "/support").await;
    firm.says(worker, "Where is the key?").await;
    let api = &firm.world.api;
    let asked = api.until_said(leaving, "Where is the key?").await;
    firm.presses_and_hears(&asked, "↩️ Reply", "You are talking with").await;
    let message = relayed(&firm, leaving, 1).await;
    firm.execute(&format!("DELETE FROM roles WHERE user_id = {leaving}")).await;

    firm.says(worker, "Anybody?").await;
    let asked = api.until_said(dispatcher, "Anybody?").await;
    firm.says_and_hears(leaving, "Under the mat", "for others").await;
    let told = api.sent(leaving).len();
    let reply = Update::text(leaving, "Under the mat").replying_to(message);
    firm.world.deliver(reply).await;
    let told = api.until_sent(leaving, told + 1).await;
    assert!(told.last().is_some_and(|last| last.text().contains("for others")));
    firm.presses_and_hears(&asked, "↩️ Reply", "You are talking with").await;
    firm.says(dispatcher, "With me").await;
    api.until_said(worker, "With me").await;
    let heard = |user| api.texts(user).concat();
    assert!(!heard(worker).contains("Under the mat"));
    assert!(!heard(leaving).contains("Anybody?"));
}
