//! What arrives at once, twice, late or in another order: every update counts once, and none overwrites another.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::support::bot_api::Reply;
use crate::support::patience::{all_at_once, until};
use crate::support::server::{SECRET, Server};
use crate::support::updates::{Update, now, post, someone};
use crate::support::world::{ASKED, World, thanks};

const PLAIN: &str = "Thank you! A photo without a caption.";
const STALE: &str = "This button is no longer active.";
const NOT_UNDERSTOOD: &str = "I did not understand that. /menu shows what I can do.";

#[tokio::test]
async fn an_update_that_comes_twenty_times_at_once_is_one_transition_and_one_reply() {
    let world = World::two().await;
    let user = someone();
    let update = Update::photo(user);

    let mut copies = JoinSet::new();
    for copy in 0..20 {
        let (door, update) = (world.servers[copy % 2].webhook(), update.clone());
        copies.spawn(async move { post(door, &update).await });
    }
    for answer in copies.join_all().await {
        assert_eq!(answer.expect("an answer").status, 200);
    }

    assert_eq!(world.told(user).await, [ASKED]);
    let transitions = world.total("steadfast_transitions_total", &[]).await;
    assert_eq!(transitions, 1.0);
    let requests = "steadfast_webhook_requests_total";
    let duplicates = world.total(requests, &["outcome=\"duplicate\""]).await;
    assert_eq!(duplicates, 19.0);
    world.until_counted(&[("caption", 1)]).await;
}

/// One of the two ends the dialogue, and the other learns that it came too late: a text as one that was not expected, a
/// press by the words on its button. Never do both end it, never neither, and never is one lost.
#[tokio::test]
async fn a_text_and_a_press_at_once_are_taken_one_after_the_other() {
    const PEOPLE: usize = 10;
    const ROUNDS: usize = 20;
    let world = World::two().await;
    let mut wins = [0, 0];
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    let rounds = people.iter().map(|user| rounds(&world, *user, ROUNDS));
    for won in all_at_once(rounds).await {
        wins = [wins[0] + won[0], wins[1] + won[1]];
    }
    assert_eq!(wins[0] + wins[1], PEOPLE * ROUNDS);

    let ended = ["from=\"caption\"", "to=\"done\""];
    let transitions = world.total("steadfast_transitions_total", &ended).await;
    assert_eq!(transitions as usize, PEOPLE * ROUNDS);
    let conflicts = world.total("steadfast_commit_conflicts_total", &[]).await;
    assert!(conflicts > 0.0, "nothing ever met: {wins:?}");
    world.until_counted(&[]).await;
}

/// Plays rounds of text against press; answers how often each of them won.
async fn rounds(world: &World, user: i64, rounds: usize) -> [usize; 2] {
    let mut wins = [0, 0];
    let mut expected = Vec::new();
    for round in 0..rounds {
        let caption = format!("round {round}");
        let question = world.asked_for_caption(user).await;
        let text = Update::text(user, &caption);
        let press = Update::press(user, &question.button("No caption"));
        let (text, press) =
            tokio::join!(world.telegram.deliver(&text), world.telegram.deliver(&press));
        assert_eq!(text.answer.body, "", "a text is answered by a message");
        let call = press.answer.json();
        assert_eq!(call["method"], "answerCallbackQuery");
        expected.push(ASKED.to_owned());
        if call["text"] == STALE {
            wins[0] += 1;
            expected.push(thanks(&caption));
        } else {
            wins[1] += 1;
            assert_eq!(call.get("text"), None, "a press that counts says nothing");
            expected.extend([PLAIN.to_owned(), NOT_UNDERSTOOD.to_owned()]);
        }
        world.api.until_sent(user, expected.len()).await;
    }
    assert_eq!(world.told(user).await, expected);
    wins
}

/// A part that is late, but not too late, is counted; one that comes after the end is left alone. Either way the press ends
/// the dialogue, once.
#[tokio::test]
async fn a_late_part_of_an_album_and_a_press_at_once_are_taken_one_after_the_other() {
    let world = World::two().await;
    let people: Vec<i64> = (0..20).map(|_| someone()).collect();
    let plays = people.iter().map(|user| late_part(&world, *user));
    all_at_once(plays).await;
    world.until_counted(&[]).await;
}

async fn late_part(world: &World, user: i64) {
    for round in 0..2 {
        let album = format!("{user}-{round}");
        let part = || Update::photo(user).of_album(&album);
        // At once, since they are waited for only for a moment.
        let parts = [part(), part()];
        tokio::join!(world.telegram.deliver(&parts[0]), world.telegram.deliver(&parts[1]));
        let question = world.api.until_said(user, "2 photos.").await;
        let press = Update::press(user, &question.button("No caption"));
        let part = part();
        let (_, press) =
            tokio::join!(world.telegram.deliver(&part), world.telegram.deliver(&press));
        assert_eq!(press.answer.json().get("text"), None);
        let told = world.told(user).await;
        assert_eq!(told.len(), 2 * (round + 1), "{told:?}");
        let end = told.last().expect("the end");
        let both = ["2", "3"].map(|count| format!("Thank you! {count} photos without a caption."));
        assert!(both.contains(end), "{told:?}");
    }
}

/// Ids may begin anew at a lower number; only an equal one is a copy.
#[tokio::test]
async fn update_ids_that_begin_anew_at_a_lower_number_are_taken() {
    let world = World::two().await;
    let user = someone();
    let photo = |id: u32, caption: &str| Update::photo(user).captioned(caption).numbered(id);
    for (id, caption) in [(2_000_000_000, "high"), (17, "low"), (16, "lower"), (1, "one")] {
        world.deliver(photo(id, caption)).await;
        world.deliver(photo(id, "again")).await;
    }
    let expected = ["high", "low", "lower", "one"].map(thanks);
    assert_eq!(world.told(user).await, expected);
}

/// A dialogue remembers its last 256 updates: an equal number that comes back after more than that is another update.
#[tokio::test]
async fn an_equal_update_id_is_a_copy_until_256_others_have_come() {
    let world = World::two().await;
    let user = someone();
    let numbered = |caption: &str| Update::photo(user).captioned(caption).numbered(4711);
    // Numbers come back at another time: what they cause is told apart by it.
    world.deliver(numbered("first").dated(now() - 60)).await;
    for _ in 0..255 {
        world.deliver(Update::text(user, "/cancel")).await;
    }
    world.deliver(numbered("copy")).await;
    world.deliver(Update::text(user, "/cancel")).await;
    world.deliver(numbered("another")).await;

    let told = world.told(user).await;
    let thanked: Vec<&String> = told.iter().filter(|text| text.contains("Thank")).collect();
    assert_eq!(thanked, [&thanks("first"), &thanks("another")]);
    assert_eq!(told.len(), 2 + 256);
    // 259 were taken, `/help` included: three marks younger than an hour had to go, and that is told.
    let crowded = world.total("steadfast_seen_crowded_out_total", &[]).await;
    assert_eq!(crowded, 3.0);
}

/// An app that got no answer presses again, under a new number.
#[tokio::test]
async fn a_press_that_comes_again_under_a_new_number_is_told_so_and_does_nothing() {
    let world = World::two().await;
    let user = someone();
    let question = world.asked_for_caption(user).await;
    let press = || Update::press(user, &question.button("No caption"));

    let first = world.telegram.deliver(&press()).await;
    assert_eq!(first.answer.json().get("text"), None);
    for _ in 0..3 {
        let press = press();
        let again = world.telegram.deliver(&press).await.answer.json();
        assert_eq!(again["method"], "answerCallbackQuery");
        assert_eq!(again["text"], STALE);
        let id = again["callback_query_id"].as_str().unwrap_or_default();
        assert!(press.body().contains(id) && !id.is_empty());
    }
    assert_eq!(world.told(user).await, [ASKED, PLAIN]);
}

/// The request lies in the socket of a replica that does not run; meanwhile another replica has taken that update and fifty
/// later ones.
#[tokio::test]
async fn a_replica_that_wakes_up_with_an_old_request_does_nothing_twice() {
    let world = World::two().await;
    let user = someone();
    let update = Update::photo(user).captioned("once");
    let status = wakes_up_with(&world, user, &update, Duration::ZERO, 50).await;
    assert_eq!(status, 200, "a copy is acknowledged");
    let told = world.told(user).await;
    assert_eq!(told[0], thanks("once"));
    assert_eq!(told.len(), 51, "{told:?}");
}

/// So many later updates that the dialogue has forgotten this one: then its age alone tells.
#[tokio::test]
async fn a_replica_that_slept_too_long_refuses_what_it_finds() {
    let world = World::two().await;
    let user = someone();
    let update = Update::photo(user).captioned("once");
    let slept = Duration::from_secs(30);
    let status = wakes_up_with(&world, user, &update, slept, 300).await;
    assert_eq!(status, 503);
    let told = world.told(user).await;
    assert_eq!(told[0], thanks("once"));
    assert_eq!(told.len(), 301, "{told:?}");
}

/// It has a backlog and a call in hand when it stops in its tracks. The other one takes over when the lease is over; what the
/// sleeper still believes to be its own is not said again.
#[tokio::test]
async fn a_replica_that_slept_while_it_spoke_does_not_go_on_speaking() {
    let world = World::two().await;
    let [sleeper, other] = &world.servers[..] else {
        panic!("two servers");
    };
    let user = someone();
    let captions: Vec<String> = (0..20).map(|place| place.to_string()).collect();
    world.api.rule(|_| Reply::Slow(Duration::from_millis(200)));
    world.telegram.turn_to([sleeper]);
    for caption in &captions {
        world.deliver(Update::photo(user).captioned(caption)).await;
    }
    world.api.until_sent(user, 3).await;
    sleeper.freeze();
    let said = world.api.sent(user).len();
    world.api.until_sent(user, said + 2).await;
    sleeper.thaw();
    until("the sleeper has noticed", async || {
        let stale = "steadfast_outbox_stale_token_total";
        (sleeper.metrics().await.sum(stale, &[]) > 0.0).then_some(())
    })
    .await;

    world.telegram.turn_to([other]);
    let mut told = world.told(user).await;
    assert!(told.len() <= 21, "only what was in hand may come twice");
    told.dedup();
    let expected: Vec<String> = captions.iter().map(|caption| thanks(caption)).collect();
    assert_eq!(told, expected);
}

/// Freezes a server, gives it the update, has the other one take it and `later` more, and thaws it. The request is stamped as
/// one that reached the proxy so long before. Answers the status of the sleeper's answer.
async fn wakes_up_with(
    world: &World,
    user: i64,
    update: &Update,
    before: Duration,
    later: usize,
) -> u16 {
    let [sleeper, other] = &world.servers[..] else {
        panic!("two servers");
    };
    sleeper.freeze();
    let mut unread = send_unread(sleeper, update, before).await;
    world.telegram.turn_to([other]);
    world.deliver(update.clone()).await;
    for _ in 0..later {
        world.deliver(Update::text(user, "/cancel")).await;
    }
    sleeper.thaw();
    let mut answer = String::new();
    unread.read_to_string(&mut answer).await.expect("an answer");
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    status.unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

/// Writes a whole request into the socket, and reads nothing.
async fn send_unread(server: &Server, update: &Update, before: Duration) -> TcpStream {
    let stamp = SystemTime::now() - before;
    let stamp = stamp.duration_since(UNIX_EPOCH).expect("a time").as_millis();
    let body = update.body();
    let request = format!(
        "POST /webhook HTTP/1.1\r\nHost: bot\r\nConnection: close\r\nContent-Type: application/json\r\n\
         X-Request-Start: {stamp}\r\nX-Telegram-Bot-Api-Secret-Token: {SECRET}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(server.webhook()).await.expect("a socket");
    stream.write_all(request.as_bytes()).await.expect("room");
    stream
}

/// A 503 changes nothing, and the same update is taken when it comes again, also elsewhere.
#[tokio::test]
async fn an_update_that_was_refused_is_taken_when_it_comes_again() {
    let world = World::two_with(&[("MAX_IN_FLIGHT", "1")]).await;
    let people: Vec<i64> = (0..40).map(|_| someone()).collect();
    let plays = people.iter().map(async |user| {
        let photo = Update::photo(*user).dated(now());
        let delivered = world.telegram.deliver(&photo).await;
        assert_eq!(world.told(*user).await, [ASKED]);
        delivered.again
    });
    let again: u32 = all_at_once(plays).await.into_iter().sum();
    assert!(again > 0, "nobody was refused");
    world.until_counted(&[("caption", 40)]).await;
}
