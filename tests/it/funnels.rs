//! How people come through the flows, as metrics and on the command line.

use crate::support::bot_api::BotApi;
use crate::support::server::Setup;
use crate::support::updates::{Update, someone};
use crate::support::world::World;

const CAPTION: [&str; 2] = ["flow=\"photo\"", "state=\"caption\""];

#[tokio::test]
async fn the_funnel_tells_who_began_who_stood_where_and_how_it_ended() {
    let api = BotApi::start();
    let setup = Setup::memory(&api);
    let world = World::raise(api, setup, 1).await;
    let [anna, boris, vera, gleb] = [(); 4].map(|()| someone());
    for person in [anna, boris, vera, gleb] {
        world.deliver(Update::photo(person)).await;
    }
    for person in [anna, gleb] {
        world.deliver(Update::text(person, "a caption")).await;
    }
    world.deliver(Update::text(boris, "/cancel")).await;
    world.until_counted(&[("caption", 1)]).await;

    let left = async |way| {
        let labels = [CAPTION[0], CAPTION[1], way];
        world.total("steadfast_state_duration_seconds_count", &labels).await
    };
    assert_eq!(world.total("steadfast_state_entered_total", &CAPTION).await, 4.0);
    assert_eq!(left("way=\"onward\"").await, 2.0);
    assert_eq!(left("way=\"away\"").await, 1.0);

    let (code, said) = world.command(&["dialogues", "stats"]);
    assert_eq!(code, 0, "{said}");
    let rows: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |name: &str| rows.iter().find(|row| row.first() == Some(&name)).expect(name);
    assert_eq!(row("photo")[1..6], ["4", "2", "(50", "%)", "1"]);
    assert_eq!(row("photo/caption")[1..6], ["1", "4", "2", "(50", "%)"]);
}
