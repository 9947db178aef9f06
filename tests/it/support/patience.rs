//! Waiting: for what must come about, without saying when, and for many things at once.

use std::fmt::Display;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Far above what anything here takes: these tests share their machine.
pub(crate) const LONG: Duration = Duration::from_secs(45);

/// Asks again and again until there is an answer.
pub(crate) async fn until<T>(what: impl Display, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(started.elapsed() < LONG, "it never came about that {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Does all of it at once, and answers in the order in which it was done.
pub(crate) async fn all_at_once<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    let mut done = Vec::new();
    poll_fn(|context| {
        all.retain_mut(|one| match one.as_mut().poll(context) {
            Poll::Ready(value) => {
                done.push(value);
                false
            }
            Poll::Pending => true,
        });
        match all.is_empty() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    done
}
