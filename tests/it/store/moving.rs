//! A group that became another chat: its dialogues move along, whatever breaks off in between.

use std::sync::Arc;

use steadfast::store::{Cause, Commit, DialogueKey, LANE_LEASE, Loaded, Person, Store, Token};
use steadfast::turn::migration::{self, Error, Move, Seal, Way};

use crate::support::bed::{Bed, bulk, item, jobs, key, messages};
use crate::support::faulty::Faulty;
use crate::support::patience::all_at_once;
use crate::support::watched::{Fault, Watched};

const OLD: i64 = -5;
const NEW: i64 = -1_000_000_000_005;
const USER: i64 = 7;
const BODY: &str = r#"{"v":1,"lang":"ru"}"#;

pub(crate) async fn a_group_that_became_another_chat_is_known_by_both(bed: &Bed) {
    assert_eq!(migration::way(&*bed.store, OLD).await, Ok(None));
    for _ in 0..2 {
        migration::note(&*bed.store, OLD, NEW).await.expect("noted");
    }
    let way = async |chat| migration::way(&*bed.store, chat).await.expect("an answer");
    assert_eq!(way(OLD).await, Some(Way::To(NEW)));
    assert_eq!(way(NEW).await, Some(Way::From(OLD)));
    assert_eq!(way(6).await, None);
}

pub(crate) async fn a_dialogue_moves_with_all_it_has(bed: &Bed) {
    let before = begun(bed, USER).await;
    for _ in 0..2 {
        moving(&*bed.store, USER).finish().await.expect("moved");
        has_moved(bed, USER, &before).await;
    }
    assert_eq!(bed.counts().await, counted(1));
    let at = before.due.expect("a timer");
    bed.advance(std::time::Duration::from_millis(7_200_000));
    assert_eq!(bed.timers(None).await, [(key(NEW, USER), at)]);
}

pub(crate) async fn what_was_seen_in_the_old_chat_stays_seen(bed: &Bed) {
    begun(bed, USER).await;
    moving(&*bed.store, USER).finish().await.expect("moved");
    assert!(bed.has_seen(&key(OLD, USER), 1).await);
}

pub(crate) async fn nothing_to_move_is_fine(bed: &Bed) {
    moving(&*bed.store, USER).finish().await.expect("fine");
    assert_eq!(bed.peek(&key(OLD, USER)).await, Ok(None));
    assert_eq!(bed.peek(&key(NEW, USER)).await, Ok(None));
}

pub(crate) async fn a_dialogue_that_is_there_already_stays(bed: &Bed) {
    begun(bed, USER).await;
    let own = |commit: &mut Commit| commit.next.body = "own".into();
    bed.turn(&key(NEW, USER), Cause::Update(2), own).await;
    moving(&*bed.store, USER).finish().await.expect("fine");
    assert_eq!(peek(bed, NEW, USER).await.body, "own");
    assert_eq!(bed.counts().await, counted(1));
}

pub(crate) async fn records_of_the_old_chat_are_waited_for(bed: &Bed) {
    begun(bed, USER).await;
    let token = Token::fresh();
    bed.push(jobs(OLD), token, &item("a")).await.expect("pushed");
    let moved = moving(&*bed.store, USER).finish().await;
    assert!(matches!(moved, Err(Error::Pending)), "{moved:?}");
    bed.done(jobs(OLD), token, "a").await.expect("done");
    moving(&*bed.store, USER).finish().await.expect("moved");
}

/// They go to the new chat, before whatever is said there.
pub(crate) async fn messages_to_the_old_chat_are_waited_for(bed: &Bed) {
    let token = Token::fresh();
    for lane in [messages(OLD), bulk(OLD)] {
        bed.push(lane, token, &item("a")).await.expect("pushed");
    }
    let moved = moving(&*bed.store, USER).finish().await;
    assert!(matches!(moved, Err(Error::Pending)), "{moved:?}");
    begun(bed, USER).await;
    let moved = moving(&*bed.store, USER).finish().await;
    assert!(matches!(moved, Err(Error::Pending)), "{moved:?}");
    bed.done(messages(OLD), token, "a").await.expect("done");
    moving(&*bed.store, USER).finish().await.expect("moved");
}

/// Whoever broke off does not come back, and the person says nothing.
pub(crate) async fn a_move_that_broke_off_is_found_by_its_timer(bed: &Bed) {
    let before = begun(bed, USER).await;
    let broken = Watched::new(Arc::clone(&bed.store));
    broken.fail("commit", Fault::After, 1);
    let moved = moving(&broken, USER).finish().await;
    assert!(matches!(moved, Err(Error::Store(_))), "{moved:?}");
    assert_eq!(bed.peek(&key(NEW, USER)).await, Ok(None));
    bed.advance(LANE_LEASE);
    let timers = bed.timers(None).await;
    assert_eq!(timers.len(), 1, "{timers:?}");
    let (found, due) = timers[0];
    assert_eq!(found, key(OLD, USER));
    let timer = Move { cause: Cause::Timer(due), ..moving(&*bed.store, USER) };
    timer.finish().await.expect("moved");
    has_moved(bed, USER, &before).await;
}

/// Each call may fail before or after it is carried out. At no time is the dialogue gone, or played in two places.
pub(crate) async fn a_move_that_breaks_off_anywhere_is_finished(bed: &Bed) {
    const PEOPLE: i64 = 30;
    for user in 1..=PEOPLE {
        let before = begun(bed, user).await;
        let faulty = Faulty::new(Arc::clone(&bed.store), rand::random());
        while moving(&faulty, user).finish().await.is_err() {
            let (old, new) = (peek(bed, OLD, user).await, bed.peek(&key(NEW, user)).await);
            let is_sealed = Seal::read(Some(&old.body)).is_some();
            assert_eq!(!is_sealed, old.body == BODY);
            assert!(is_sealed || new == Ok(None));
        }
        has_moved(bed, user, &before).await;
    }
    assert_eq!(bed.counts().await, counted(PEOPLE as u64));
}

pub(crate) async fn many_who_move_a_dialogue_make_one(bed: &Bed) {
    let before = begun(bed, USER).await;
    let moves = (0..8).map(|_| moving(&*bed.store, USER));
    let moves: Vec<_> = moves.collect();
    let finished = all_at_once(moves.iter().map(Move::finish)).await;
    assert!(finished.iter().any(Result::is_ok), "{finished:?}");
    has_moved(bed, USER, &before).await;
    assert_eq!(bed.counts().await, counted(1));
}

/// Somebody answers in the old chat while the dialogue is sealed: one of the two loses.
pub(crate) async fn a_turn_and_a_move_do_not_both_win(bed: &Bed) {
    begun(bed, USER).await;
    let snapshot = bed.fresh(&key(OLD, USER), Cause::Update(2)).await;
    moving(&*bed.store, USER).finish().await.expect("moved");
    let late = crate::support::bed::plain(&snapshot, Cause::Update(2));
    let committed = bed.commit(&key(OLD, USER), &late).await.expect("an answer");
    let steadfast::store::Committed::Conflict(found) = committed else {
        panic!("{committed:?}");
    };
    let seal = Seal::read(found.body.as_deref()).expect("a seal");
    assert_eq!(seal.moved, NEW);
}

/// Begins a dialogue in the old chat.
async fn begun(bed: &Bed, user: i64) -> Person {
    let change = |commit: &mut Commit| commit.next.body = BODY.into();
    bed.turn(&key(OLD, user), Cause::Update(1), change).await;
    peek(bed, OLD, user).await
}

fn moving(store: &dyn Store, user: i64) -> Move<'_> {
    Move {
        store,
        from: key(OLD, user),
        to: key(NEW, user),
        cause: Cause::Update(9),
        turn: Token::fresh(),
        is_patient: true,
    }
}

async fn peek(bed: &Bed, chat: i64, user: i64) -> Person {
    let found = bed.peek(&key(chat, user)).await;
    found.expect("an answer").expect("a record")
}

/// The dialogue is in the new chat as it was in the old, where only the way is left.
async fn has_moved(bed: &Bed, user: i64, before: &Person) {
    let (old, new) = (peek(bed, OLD, user).await, peek(bed, NEW, user).await);
    let what = |person: &Person| (person.labels.clone(), person.body.clone(), person.due);
    assert_eq!(what(&new), what(before));
    assert_eq!((old.labels.len(), old.due), (0, None));
    assert_eq!(old.body, format!(r#"{{"moved":{NEW}}}"#));
    let to: DialogueKey = key(NEW, user);
    let loaded = bed.load(&to, Cause::Update(9), Token::fresh()).await;
    assert!(matches!(loaded, Ok(Loaded::Fresh(_))), "{loaded:?}");
}

fn counted(people: u64) -> Vec<(String, u64)> {
    vec![("order/phone".to_owned(), people)]
}
