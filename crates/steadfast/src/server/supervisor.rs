//! Telling systemd how it goes, where it asked to be told (`Type=notify`, `WatchdogSec=`). Elsewhere nothing happens.

use std::time::Duration;

use sd_notify::NotifyState;
use tracing::debug;

/// The shortest patience that is believed.
const SHORTEST: Duration = Duration::from_millis(2);

/// Updates are accepted.
pub fn ready() {
    tell(NotifyState::Ready);
}

/// The process is about to stop, on purpose.
pub fn stopping() {
    tell(NotifyState::Stopping);
}

/// Says for ever, twice as often as asked, that the event loop still turns. The store has no say in it: an outage of Redis
/// must not restart the fleet.
pub async fn reassure() {
    let Some(patience) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut tick = tokio::time::interval(period(patience));
    loop {
        tick.tick().await;
        tell(NotifyState::Watchdog);
    }
}

/// How often to speak to who restarts after this much silence. Once late is not too late.
fn period(patience: Duration) -> Duration {
    patience.max(SHORTEST) / 2
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        debug!(%error, "systemd was not told");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_hears_twice_within_its_patience() {
        for seconds in [1, 10, 3600] {
            let patience = Duration::from_secs(seconds);
            assert_eq!(period(patience) * 2, patience);
        }
        assert!(!period(Duration::ZERO).is_zero());
    }
}
