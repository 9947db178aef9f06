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
    let mut tick = tokio::time::interval(patience.max(SHORTEST) / 2);
    loop {
        tick.tick().await;
        tell(NotifyState::Watchdog);
    }
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        debug!(%error, "systemd was not told");
    }
}
