//! Every flow, walked by people who type and press: through the real webhook, router, store and records, before the emulator.
//!
//! Each walk ends with what the server itself has counted: every transition of the flow's snapshot, and none beside them. Which file
//! walks which flow is in its name.

use std::path::Path;

use field_service::flows;

mod ground;
mod hold;
mod invite;
mod join;
mod language;
mod manage;
mod onboarding;
mod order;
mod orders;
mod owner;
mod photo;
mod privacy;
mod report;
mod shift;
mod support;

/// A flow that is added is walked, too.
#[test]
fn every_flow_has_its_walk() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/walks");
    for flow in flows::edges().flows() {
        let walk = std::fs::read_to_string(place.join(format!("{flow}.rs"))).unwrap_or_default();
        let end = format!("is_walked(\"{flow}\")");
        assert!(walk.contains(&end), "nobody walks `{flow}` to its end");
    }
}
