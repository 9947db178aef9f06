//! What Prometheus has seen, held against what Telegram has.
//!
//! What a process counted after it was last scraped died with it. So something may be missing from a count if it was under way
//! between the last scrape of a process that ended and its end. None may be there that Telegram does not know of.

use steadfast::emulator::{Call, Millis, Update};

use crate::support::patience::until;
use crate::support::prometheus::Series;

use super::bed::Bed;
use super::faults::Injury;
use super::replica::Replica;
use super::telegram::SENT;

pub(super) const REQUESTS: &str = "steadfast_webhook_requests_total";
pub(super) const CALLS: &str = "steadfast_telegram_calls_total";

/// The times in which a process counted what nobody has seen any more: from its last scrape to its end.
#[derive(Debug)]
struct Blind(Vec<(Millis, Millis)>);

impl Blind {
    /// Whether what began at this moment and lasted so long was under way then.
    fn hides(&self, at: Millis, lasted: Millis) -> bool {
        let mut times = self.0.iter();
        times.any(|(seen, end)| at <= *end && at + lasted >= *seen)
    }
}

impl Bed {
    /// What Prometheus has counted agrees with what Telegram knows, of updates and of what people were told; and what each replica has
    /// counted since it started, to the last call.
    pub(super) async fn assert_metered(&self, updates: &[Update], injuries: &[Injury]) -> String {
        let blind = self.blind(injuries).await;
        let mut said = vec![self.assert_updates_metered(updates, &blind).await];
        for method in SENT {
            said.push(self.assert_calls_metered(method, &blind).await);
            for replica in &self.replicas {
                self.until_metered(replica, method).await;
            }
        }
        said.join("\n")
    }

    /// Telegram knows who called, and nothing is under way: only of a call whose answer a replica missed can it say anything else.
    async fn until_metered(&self, replica: &Replica, method: &str) {
        let (name, label) = (replica.name(), format!("method=\"{method}\""));
        let arrived = self.telegram.carried_out(method);
        let arrived = arrived.iter().filter(|call| call.caller.as_ref() == Some(&name));
        let arrived = arrived.count() as f64;
        until(format!("{name} has counted {arrived} of {method}"), async || {
            let metrics = replica.server().metrics().await;
            let sent = metrics.sum(CALLS, &[&label, "result=\"ok\""]);
            let unsure = metrics.sum(CALLS, &[&label]) - sent;
            (sent <= arrived && arrived <= sent + unsure).then_some(())
        })
        .await;
    }

    /// An update whose connection was lost or that took too long was counted as that. Every further time that an update was taken
    /// is a duplicate.
    async fn assert_updates_metered(&self, updates: &[Update], blind: &Blind) -> String {
        let of = async |outcome: &str| {
            let selector = format!("{REQUESTS}{{outcome=\"{outcome}\"}}");
            self.counted(&selector).await
        };
        let (counted, duplicates, ignored) =
            (of("applied").await, of("duplicate").await, of("ignored").await);
        let aside = of("dropped").await + of("timeout").await;
        let is_hidden = |update: &&Update| {
            let mut attempts = update.attempts.iter();
            attempts.any(|it| blind.hides(it.at, it.duration_ms))
        };
        let unseen = updates.iter().filter(is_hidden).count() as f64;
        let again: usize = updates.iter().map(|it| taken_again(it, blind)).sum();
        let known = updates.len() as f64;
        let said = format!(
            "Prometheus counted {counted} applied, {duplicates} duplicates, {ignored} ignored, {aside} lost or late connections; Telegram \
             knows of {known} updates, of which {unseen} were under way between the last scrape of a replica and its end; {again} were \
             seen to be taken again"
        );
        assert!(counted <= known, "{said}");
        assert!(counted + ignored + unseen + aside >= known, "{said}");
        assert!(duplicates + ignored >= again as f64, "{said}");
        assert!(unseen + ignored + aside < known / 2.0, "hardly anything is seen: {said}");
        assert!(again > 0, "nothing was taken again: {said}");
        said
    }

    /// Every message that arrived was sent, or its sender does not know.
    async fn assert_calls_metered(&self, method: &str, blind: &Blind) -> String {
        let calls = async |result: &str| {
            let selector = format!("{CALLS}{{method=\"{method}\",result{result}\"ok\"}}");
            self.counted(&selector).await
        };
        let (sent, unsure) = (calls("=").await, calls("!=").await);
        let arrived = self.telegram.carried_out(method);
        let is_hidden = |call: &&Call| blind.hides(call.at, call.duration_ms);
        let unseen = arrived.iter().filter(is_hidden).count() as f64;
        let arrived = arrived.len() as f64;
        let said = format!(
            "{sent} of {arrived} calls of {method} were counted, {unsure} without knowing, {unseen} by nobody who lived"
        );
        assert!(sent <= arrived, "{said}");
        assert!(sent + unsure + unseen >= arrived, "{said}");
        assert!(unsure + unseen < arrived / 2.0, "hardly anything is seen: {said}");
        said
    }

    async fn counted(&self, selector: &str) -> f64 {
        let series = self.prometheus.series(selector).await;
        series.iter().map(Series::total).sum()
    }

    async fn blind(&self, injuries: &[Injury]) -> Blind {
        let up = self.prometheus.series("up").await;
        let times = injuries.iter().flat_map(|injury| &injury.ended);
        let times = times.map(|(instance, end)| {
            let mut series = up.iter().filter(|it| it.instance == *instance);
            let series = series.next().expect("every replica is scraped");
            // One that ended before anybody looked was never seen.
            let seen = series.last_up_before(*end as f64 / 1e3);
            ((seen.unwrap_or_default() * 1e3) as Millis, *end)
        });
        Blind(times.collect())
    }
}

/// How often an update was taken again by processes of which it was seen.
fn taken_again(update: &Update, blind: &Blind) -> usize {
    let taken = update.attempts.iter().filter(|it| it.status == Some(200));
    let seen = taken.filter(|it| !blind.hides(it.at, it.duration_ms));
    seen.count().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_under_way_between_a_scrape_and_the_end_is_hidden() {
        let blind = Blind(vec![(100, 200), (500, 600)]);
        for (at, lasted, is_hidden) in [
            (50, 40, false),
            (50, 50, true),
            (150, 0, true),
            (200, 999, true),
            (201, 0, false),
            (201, 299, true),
            (601, 50, false),
        ] {
            assert_eq!(blind.hides(at, lasted), is_hidden, "{at} + {lasted}");
        }
    }
}
