//! The operations listener on an address that others reach: in a container, or a pod.

use std::net::SocketAddr;

use crate::support::bot_api::BotApi;
use crate::support::http::exchange;
use crate::support::port::Port;
use crate::support::server::{Server, Setup, outcome};

const OPS_TOKEN: &str = "token-of-prometheus-0123456789";

/// A server whose operations listen on all addresses, and its set-up.
async fn exposed(setup: Setup) -> (Server, Setup) {
    let port = Port::hold_for_good();
    let setup = setup.with("OPS_ADDR", &format!("0.0.0.0:{port}"));
    (setup.start().await, setup)
}

/// As somebody asks who calls it by the loopback's name, and so looks like a program of this machine, whatever they are.
async fn status(server: &Server, path: &str, token: Option<&str>) -> u16 {
    let address = SocketAddr::from(([127, 0, 0, 1], server.ops().port()));
    let bearer = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = bearer.iter().map(|it| ("authorization", &**it)).collect();
    let asked = exchange(address, hyper::Method::GET, path, &headers, Default::default());
    asked.await.expect("an answer").status
}

#[tokio::test]
async fn the_health_check_of_a_container_asks_its_own_server() {
    let api = BotApi::start();
    let (server, setup) = exposed(Setup::memory(&api)).await;
    let (code, said) = outcome(&setup.run(&["health"]));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("\"status\":\"ok\""), "{said}");
    server.stop().await;
    assert_eq!(outcome(&setup.run(&["health"])).0, 1);
}

#[tokio::test]
async fn where_others_reach_it_all_but_the_probes_needs_the_token() {
    let api = BotApi::start();
    let (server, _) = exposed(Setup::memory(&api).with("OPS_TOKEN", OPS_TOKEN)).await;
    for path in ["/health", "/livez", "/readyz", "/servingz"] {
        assert_eq!(status(&server, path, None).await, 200, "{path}");
    }
    for path in ["/metrics", "/dialogues", "/dead-letters"] {
        assert_eq!(status(&server, path, None).await, 401, "{path}");
        assert_eq!(status(&server, path, Some("guess")).await, 401, "{path}");
        assert_eq!(status(&server, path, Some(OPS_TOKEN)).await, 200, "{path}");
    }
}

#[tokio::test]
async fn where_others_reach_it_and_there_is_no_token_it_shows_nothing_but_the_probes() {
    let api = BotApi::start();
    let (server, _) = exposed(Setup::memory(&api)).await;
    assert_eq!(status(&server, "/readyz", None).await, 200);
    for path in ["/metrics", "/dialogues", "/dead-letters"] {
        assert_eq!(status(&server, path, None).await, 403, "{path}");
    }
}
