//! The channel through which turns hand leased queues to the outbox.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::store::{Commit, Head, Item, Lane, LaneKind, Receipt, Token};

/// A queue that the store has leased to this replica.
#[derive(Debug)]
pub struct LeasedQueue {
    /// Name of the queue.
    pub lane: Lane,
    /// Holder of the lease.
    pub token: Token,
    /// Time before the lease was requested.
    pub since: Instant,
    /// First effect of the queue.
    pub head: Head,
}

/// Hands leased queues to the outbox, in order.
///
/// The channel is unbounded, so that a commit never waits. The number of concurrent turns limits its length: the receiver
/// only spawns a task for each queue.
#[derive(Debug, Clone)]
pub struct LeasedQueues {
    sender: UnboundedSender<(LeasedQueue, TaskTrackerToken)>,
    tasks: TaskTracker,
}

/// Receiving end of [`LeasedQueues`].
#[derive(Debug)]
pub struct LeasedReceiver {
    receiver: UnboundedReceiver<(LeasedQueue, TaskTrackerToken)>,
    tasks: TaskTracker,
}

impl LeasedQueues {
    /// Creates a channel.
    pub fn channel() -> (Self, LeasedReceiver) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let tasks = TaskTracker::new();
        (Self { sender, tasks: tasks.clone() }, LeasedReceiver { receiver, tasks })
    }

    /// Hands over one queue. Without a receiver its lease expires, and another replica takes the queue over.
    pub fn send(&self, queue: LeasedQueue) {
        let _ = self.sender.send((queue, self.tasks.token()));
    }

    /// Hands over the queues of chat `home` that a commit has leased.
    pub(super) fn send_leased(&self, home: i64, commit: Commit, receipt: &Receipt, since: Instant) {
        let Commit { turn: token, messages, jobs, .. } = commit;
        let send_first = |kind, items: Vec<Item>, wait| {
            if let Some(item) = items.into_iter().next() {
                let lane = Lane { kind, chat: home };
                self.send(LeasedQueue { lane, token, since, head: Head { item, wait } });
            }
        };
        if receipt.jobs_leased {
            send_first(LaneKind::Jobs, jobs, Duration::ZERO);
        }
        if receipt.messages_leased {
            send_first(LaneKind::Messages, messages, receipt.messages_wait);
        }
    }
}

impl LeasedReceiver {
    /// Returns the next queue, or `None` when all senders are gone.
    ///
    /// Keep the token until the task of the queue is spawned: the [tracker](Self::tasks) then never looks empty in between.
    pub async fn recv(&mut self) -> Option<(LeasedQueue, TaskTrackerToken)> {
        self.receiver.recv().await
    }

    /// Returns the tracker that counts the queues in the channel; tasks of received queues belong into it, too.
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn queue(chat: i64) -> LeasedQueue {
        let item = Item { id: "1.1.0".to_owned(), body: bytes::Bytes::new() };
        LeasedQueue {
            lane: Lane { kind: LaneKind::Jobs, chat },
            token: Token::fresh(),
            since: Instant::now(),
            head: Head { item, wait: Duration::ZERO },
        }
    }

    #[tokio::test]
    async fn queues_arrive_in_the_order_in_which_they_were_sent() {
        let (queues, mut receiver) = LeasedQueues::channel();
        for chat in 1..=3 {
            queues.send(queue(chat));
        }
        for chat in 1..=3 {
            let (queue, _) = receiver.recv().await.expect("a queue was sent");
            assert_eq!(queue.lane.chat, chat);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn tracker_waits_until_a_sent_queue_is_dealt_with() {
        let (queues, mut receiver) = LeasedQueues::channel();
        let tasks = receiver.tasks().clone();
        tasks.close();
        queues.send(queue(1));
        let minute = Duration::from_secs(60);
        assert!(timeout(minute, tasks.wait()).await.is_err(), "a queue is in the channel");
        let (_, token) = receiver.recv().await.expect("a queue was sent");
        assert!(timeout(minute, tasks.wait()).await.is_err(), "a queue is in hand");
        drop(token);
        tasks.wait().await;
    }
}
