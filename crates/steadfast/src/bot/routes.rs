//! HTTP routes that a bot adds.

use std::fmt;
use std::sync::Arc;

use axum::Router;

use super::Running;
use crate::config::Settings;

/// HTTP routes that a bot adds to one of the two listeners.
#[derive(Clone)]
pub struct Routes<S: Settings = ()> {
    pub(crate) listener: Listener,
    pub(crate) router: RouterOf<S>,
}

type RouterOf<S> = Arc<dyn Fn(&Running<S>) -> Router + Send + Sync>;

/// A listener of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    /// Beside the webhook, for everybody who reaches it.
    Public,
    /// Beside the operator API, behind `OPS_TOKEN`.
    Operator,
}

impl<S: Settings> fmt::Debug for Routes<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Routes").field(&self.listener).finish()
    }
}

impl<S: Settings> Routes<S> {
    /// Adds routes beside the webhook. Everybody who reaches the public listener can call them.
    pub fn public(router: impl Fn(&Running<S>) -> Router + Send + Sync + 'static) -> Self {
        Self { listener: Listener::Public, router: Arc::new(router) }
    }

    /// Adds routes beside the operator API. They are protected as it is: by `OPS_TOKEN`, or by listening on the loopback only.
    pub fn operator(router: impl Fn(&Running<S>) -> Router + Send + Sync + 'static) -> Self {
        Self { listener: Listener::Operator, router: Arc::new(router) }
    }
}
