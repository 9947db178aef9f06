//! The buckets of histograms, by what falls into them.

/// Seconds of a request.
pub(super) const REQUEST: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Seconds of a store call.
pub(super) const STORE: &[f64] =
    &[0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0];
/// Seconds an update was on its way.
pub(super) const AGE: &[f64] =
    &[0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 21_600.0, 86_400.0];
/// Seconds a timer was late.
pub(super) const LAG: &[f64] = &[0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Seconds that people take: an answer at once, a while, a day.
pub(super) const STAY: &[f64] =
    &[2.0, 5.0, 15.0, 30.0, 60.0, 180.0, 600.0, 1800.0, 7200.0, 86_400.0];
/// Seconds of a call to Telegram.
pub(super) const CALL: &[f64] = &[0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0];
/// Seconds until a reply was confirmed.
pub(super) const REPLY: &[f64] =
    &[0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0];
/// Seconds that Telegram tells to wait.
pub(super) const RETRY_AFTER: &[f64] = &[1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Seconds that a sending waited for its limit.
pub(super) const LIMIT: &[f64] = &[0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0];
/// Bytes of a body.
pub(super) const BYTES: &[f64] =
    &[512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0];
