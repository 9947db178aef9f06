//! Many at once: the suite ends in races.

use std::sync::Arc;

use steadfast::store::{
    Cause, Commit, Committed, DialogueKey, LANE_LEASE, Loaded, Snapshot, Store, Token,
};
use tokio::task::JoinSet;

use crate::support::bed::{Bed, LEASED, item, key, messages, plain};

const TASKS: u32 = 8;
const EACH: u32 = 50;
const ANN: DialogueKey = DialogueKey { chat: 5, user: 5, topic: None };

pub(crate) async fn racing_commits_lose_nothing(bed: &Bed) {
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = Arc::clone(&bed.store);
        tasks.spawn(async move {
            for turn in 0..EACH {
                increment(&*store, Cause::Update(task * EACH + turn)).await;
            }
        });
    }
    tasks.join_all().await;
    let snapshot = bed.fresh(&ANN, Cause::Order).await;
    assert_eq!(number(&snapshot), TASKS * EACH);
    assert_eq!(snapshot.pending, TASKS * EACH);
    let counts = bed.counts().await;
    let label = format!("at/{}", TASKS * EACH % 3);
    assert_eq!(counts, [(label, 1)]);
}

pub(crate) async fn racing_claims_have_one_winner(bed: &Bed) {
    for chat in 1..=20 {
        let lane = messages(chat);
        bed.push(lane, Token::fresh(), &item(chat)).await.expect("pushed");
    }
    bed.advance(LANE_LEASE);
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let store = Arc::clone(&bed.store);
        tasks.spawn(async move { store.due(Token::fresh(), 100, None).await });
    }
    let claims = tasks.join_all().await.into_iter();
    let mut lanes: Vec<_> =
        claims.flat_map(|due| due.expect("due").lanes).map(|(lane, _)| lane.chat).collect();
    lanes.sort_unstable();
    assert_eq!(lanes, (1..=20).collect::<Vec<i64>>());
}

pub(crate) async fn racing_turns_of_one_update_have_one_winner(bed: &Bed) {
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let store = Arc::clone(&bed.store);
        tasks.spawn(async move {
            let mut done = 0;
            for update in 0..EACH {
                done += u32::from(increment(&*store, Cause::Update(update)).await);
            }
            done
        });
    }
    let done: u32 = tasks.join_all().await.into_iter().sum();
    // A winner whose answer was lost, and who was overtaken before asking again, takes itself for a duplicate.
    assert!(done == EACH || !bed.is_calm && done < EACH, "{done}");
    assert_eq!(number(&bed.fresh(&ANN, Cause::Order).await), EACH);
}

pub(crate) async fn racing_pushes_happen_once(bed: &Bed) {
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let store = Arc::clone(&bed.store);
        tasks.spawn(async move {
            let token = Token::fresh();
            store.push(messages(1), token, &item("a")).await
        });
    }
    let pushed = tasks.join_all().await.into_iter();
    assert_eq!(pushed.filter(|leased| *leased == Ok(LEASED)).count(), 1);
    bed.advance(LANE_LEASE);
    let (token, _) = bed.claim().await;
    let after = bed.done(messages(1), token, "a").await;
    assert_eq!(after, Ok(steadfast::store::After::Empty));
    assert_eq!(bed.peek(&key(1, 1)).await, Ok(None));
}

/// Adds one to the number in the body, however often others come first. `false`: the update was a duplicate.
async fn increment(store: &dyn Store, cause: Cause) -> bool {
    let turn = Token::fresh();
    let mut snapshot = match store.load(&ANN, cause, turn).await.expect("loaded") {
        Loaded::Fresh(snapshot) => snapshot,
        Loaded::Duplicate => return false,
    };
    loop {
        let commit = one_more(&snapshot, cause, turn);
        match store.commit(&ANN, &commit).await.expect("an answer") {
            Committed::Done(_) => return true,
            Committed::Duplicate => return false,
            Committed::Conflict(now) => snapshot = now,
            Committed::TooOld | Committed::Stale => panic!("the clock stands still"),
        }
    }
}

fn one_more(snapshot: &Snapshot, cause: Cause, turn: Token) -> Commit {
    let next = number(snapshot) + 1;
    let mut commit = plain(snapshot, cause);
    commit.turn = turn;
    commit.next.body = next.to_string().into();
    commit.next.labels = vec![format!("at/{}", next % 3)];
    commit.jobs = vec![item(next)];
    commit
}

fn number(snapshot: &Snapshot) -> u32 {
    let body = snapshot.body.as_deref().unwrap_or(b"0");
    std::str::from_utf8(body).expect("text").parse().expect("a number")
}
