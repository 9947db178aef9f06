//! Lets go of peers before the listener closes: while the process drains, every answer ends its connection.
//!
//! A proxy keeps connections and sends the next update on one that is idle. Closed under its feet, that update may be lost to
//! it, and to Telegram if the proxy does not try elsewhere. So when the drain delay is over, hardly any is left to be closed.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::map_response_with_state;
use axum::response::Response;

use crate::ops::health::Vitals;

/// The same routes, whose answers say goodbye once the process drains.
pub fn polite(routes: Router, vitals: Arc<Vitals>) -> Router {
    routes.layer(map_response_with_state(vitals, say_goodbye))
}

async fn say_goodbye(State(vitals): State<Arc<Vitals>>, mut response: Response) -> Response {
    if vitals.is_draining() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}
