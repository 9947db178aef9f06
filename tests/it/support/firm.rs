//! A small company on real servers: a dispatcher, two masters and a worker, who have all said hello.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::bot_api::{BotApi, Call};
use super::patience::until;
use super::redis_server::RedisServer;
use super::server::Setup;
use super::updates::{Update, someone};
use super::world::World;

/// A company, its servers and its database.
pub(crate) struct Firm {
    pub(crate) world: World,
    pub(crate) database: String,
    pub(crate) dispatchers: [i64; 2],
    pub(crate) masters: [i64; 2],
    pub(crate) worker: i64,
}

impl Firm {
    /// Two servers on the Redis that tests share, with their records in this database.
    pub(crate) async fn found(database: String) -> Self {
        let api = BotApi::start();
        let (dispatchers, masters) = ([someone(), someone()], [someone(), someone()]);
        let worker = someone();
        let list = |ids: [i64; 2]| ids.map(|id| id.to_string()).join(",");
        let setup = Setup::redis(&api, RedisServer::shared())
            .with("DATABASE_URL", &database)
            .with("DISPATCHER_IDS", &list(dispatchers))
            .with("MASTER_IDS", &list(masters))
            .with("WORKER_IDS", &worker.to_string());
        let world = World::raise(api, setup, 2).await;
        let firm = Self { world, database, dispatchers, masters, worker };
        for user in dispatchers.into_iter().chain(masters).chain([worker]) {
            firm.says(user, "/start").await;
        }
        until("everybody is known", async || {
            (firm.count("SELECT count(*) FROM users").await == 5).then_some(())
        })
        .await;
        firm
    }

    /// Somebody types this.
    pub(crate) async fn says(&self, user: i64, words: &str) {
        self.world.deliver(Update::text(user, words)).await;
    }

    /// Somebody types this and is asked that.
    pub(crate) async fn says_and_hears(&self, user: i64, words: &str, heard: &str) -> Call {
        self.says(user, words).await;
        self.world.api.until_said(user, heard).await
    }

    /// Somebody presses what carries this.
    pub(crate) async fn presses(&self, user: i64, data: &str) {
        self.world.deliver(Update::press(user, data)).await;
    }

    /// Somebody presses a button of a message and is told that.
    pub(crate) async fn presses_and_hears(&self, call: &Call, label: &str, heard: &str) -> Call {
        self.presses(call.chat(), &call.button(label)).await;
        self.world.api.until_said(call.chat(), heard).await
    }

    /// The first dispatcher tells of an order, up to the question who shall do it.
    pub(crate) async fn tells_of_an_order(&self) -> Call {
        let dispatcher = self.dispatchers[0];
        for words in ["/order", "Lift", "It is stuck", "Olga", "Lenin St. 5"] {
            self.says(dispatcher, words).await;
        }
        self.says_and_hears(dispatcher, "8 912 345-67-89", "Who shall do it?").await
    }

    /// An order that the first dispatcher has created, with this number, for this master or for all.
    pub(crate) async fn has_order(&self, no: usize, master: Option<i64>) {
        let (author, status) =
            (self.dispatchers[0], if master.is_some() { "assigned" } else { "new" });
        let master = master.map_or("NULL".to_owned(), |master| master.to_string());
        self.execute(&format!(
            "INSERT INTO orders (id, no, equipment, problem, client, address, phone, status, created_by, created_at, master) \
             VALUES ('o{no}', {no}, 'fridge', 'cold', 'Olga', 'Park 1', '+79123456789', '{status}', {author}, 0, {master})"
        ))
        .await;
    }

    /// A master reports on this order, up to the question whether everything is right.
    pub(crate) async fn reports(&self, master: i64, no: usize) -> Call {
        self.says(master, &format!("/report {no}")).await;
        let asked = self.says_and_hears(master, "1500", "materials").await;
        let asked = self.presses_and_hears(&asked, "None", "review?").await;
        self.presses_and_hears(&asked, "Yes", "Is everything right?").await
    }

    /// Executes this in the database.
    pub(crate) async fn execute(&self, sql: &str) {
        let mut connection = self.connect().await;
        let executed = connection.execute(AssertSqlSafe(sql.to_owned())).await;
        executed.expect("executed");
    }

    /// A number that the database tells.
    pub(crate) async fn count(&self, sql: &str) -> i64 {
        let mut connection = self.connect().await;
        let count = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
        count.fetch_one(&mut connection).await.expect("a number")
    }

    async fn connect(&self) -> PgConnection {
        let connection = PgConnection::connect(&self.database).await;
        connection.expect("PostgreSQL answers")
    }
}
