//! How long updates are kept.

use serde_json::json;
use steadfast::emulator::State;

use super::stage::Stage;

#[tokio::test]
async fn a_press_is_kept_for_150_seconds_and_a_message_for_a_day() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "y").await;
    let (press, _) = stage.press(anna, "Yes");
    let message = stage.say(anna, "hello");
    stage.advance(151);
    stage.became(press, State::Dropped).await;
    assert_eq!(stage.became(message, State::Waiting).await.attempts, []);
    stage.advance(86_400);
    stage.became(message, State::Dropped).await;
    let updates = stage.done("getUpdates", json!({})).await;
    assert_eq!(updates, json!([]));
}

#[tokio::test]
async fn a_press_to_a_dead_webhook_is_tried_eight_times() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.ask(anna, "Yes", "y").await;
    let (press, _) = stage.press(anna, "Yes");
    receiver.next().await.answer(500);
    receiver.next().await.answer(500);
    for (tried, pause) in [(2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 64)] {
        stage.tried(press, tried).await;
        stage.advance(pause);
        receiver.next().await.answer(500);
    }
    let dropped = stage.became(press, State::Dropped).await;
    assert_eq!(dropped.attempts.len(), 8);
}

#[tokio::test]
async fn the_next_of_a_line_goes_when_the_one_before_it_is_too_old() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.ask(anna, "Yes", "y").await;
    let (old, _) = stage.press(anna, "Yes");
    receiver.next().await.answer_with(500, &["Retry-After: 140"], "");
    stage.tried(old, 1).await;
    stage.advance(139);
    let (new, _) = stage.press(anna, "Yes");
    stage.advance(12);
    let visit = receiver.next().await;
    assert_eq!(visit.id(), new);
    stage.became(old, State::Dropped).await;
}
