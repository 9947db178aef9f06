//! Roles that are given while the bot runs, by the command line and the operations.

use hyper::Method;
use serde_json::json;

use crate::support::bot_api::BotApi;
use crate::support::http;
use crate::support::server::Setup;
use crate::support::world::World;

async fn world() -> World {
    let api = BotApi::start();
    let setup = Setup::embedded(&api).with("OWNER_IDS", "7");
    World::raise(api, setup, 1).await
}

#[tokio::test]
async fn a_role_is_given_seen_and_taken_again() {
    let world = world().await;
    let (code, said) = world.command(&["roles", "give", "5", "master"]);
    assert_eq!((code, said.trim()), (0, "5: master"));
    let (_, said) = world.command(&["roles", "give", "5", "master"]);
    assert_eq!(said.trim(), "5 already: master");
    world.command(&["roles", "give", "7", "worker"]);
    let (code, listed) = world.command(&["roles", "list"]);
    let rows: Vec<Vec<&str>> =
        listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(code, 0, "{listed}");
    assert_eq!(rows[1], ["5", "master", "master"]);
    assert_eq!(rows[2], ["7", "owner,", "worker", "worker"]);
    let (code, said) = world.command(&["roles", "take", "5", "master"]);
    assert_eq!((code, said.trim()), (0, "5: -"));
    let (_, said) = world.command(&["roles", "list", "--user", "5"]);
    assert!(said.contains("5     -"), "{said}");
}

#[tokio::test]
async fn what_cannot_be_is_said_in_a_line() {
    let world = world().await;
    let (code, said) = world.command(&["roles", "take", "7", "owner"]);
    assert_eq!(code, 1);
    assert!(said.contains("7 is owner by OWNER_IDS"), "{said}");
    let (code, said) = world.command(&["roles", "give", "5", "king"]);
    let expected = "`king` is no role: owner, dispatcher, master, worker";
    assert!(code == 1 && said.contains(expected), "{said}");
    let ops = world.servers[0].ops();
    for path in ["/roles?user=5&role=king", "/roles?user=me&role=owner", "/roles"] {
        let answer = http::ask(ops, Method::PUT, path).await.expect("an answer");
        assert_eq!(answer.status, 400, "{path}");
    }
    let asked = http::foreign(ops, "/roles", "host", "evil.example").await;
    assert_eq!(asked.expect("an answer").status, 403);
}

#[tokio::test]
async fn the_operations_tell_all_roles_and_those_that_were_given() {
    let world = world().await;
    let ops = world.servers[0].ops();
    let path = "/roles?user=7&role=worker";
    let given = http::ask(ops, Method::PUT, path).await.expect("an answer");
    let person = json!({ "user": 7, "roles": ["owner", "worker"], "given": ["worker"] });
    let mut expected = person.clone();
    expected["changed"] = json!(true);
    assert_eq!(given.json(), expected);
    let all = world.servers[0].ask("/roles").await.json();
    assert_eq!(all, json!({ "people": [person], "default": null }));
    let nobody = world.servers[0].ask("/roles?user=9").await.json();
    let person = json!({ "user": 9, "roles": [], "given": [] });
    assert_eq!(nobody["people"], json!([person]));
}
