//! A place to work at with something to do there, for a bot that is tried out: a shift can be opened at once.

use std::io;

use sqlx::{AnyConnection, Row as _};

use crate::Company;
use crate::money::Money;
use crate::pay::Kind;
use steadfast::bot::Running;
use steadfast::records::{Fault, Sql};

/// Its id, what it is called, and what an hour earns there.
const OBJECT: (&str, &str, Money) = ("sample", "Lenin St. 5", Money(30_000));
/// What is to be done there: id, title, what it brings or costs, which of the two, and whether a photo must show it.
const TASKS: [(&str, &str, Money, Kind, bool); 2] = [
    ("sample-1", "Lock up", Money(5_000), Kind::Mandatory, false),
    ("sample-2", "Sweep", Money(10_000), Kind::Bonus, true),
];

/// Brings them in, unless there is any object. One that is put out of use is there as well, so they come once.
pub async fn furnish(running: Running<Company>) -> io::Result<()> {
    match &running.records {
        Some(records) => fill(records).await.map_err(io::Error::other),
        None => Ok(()),
    }
}

async fn fill(records: &Sql) -> Result<(), Fault> {
    let (now, zone) = (records.now(), &records.settings::<Company>().zone);
    let zone = zone.iana_name().unwrap_or("UTC").to_owned();
    records.write(async |connection| {
        if has_object(connection).await? {
            return Ok(());
        }
        let sql = "INSERT INTO objects (id, name, rate, zone, active, made_at) VALUES ($1, $2, $3, $4, 1, $5)";
        let (object, name, rate) = OBJECT;
        let add = sqlx::query(sql).bind(object).bind(name).bind(rate.0);
        add.bind(zone).bind(now).execute(&mut *connection).await?;
        for (id, title, price, kind, media) in TASKS {
            let sql = "INSERT INTO tasks (id, object, slot, title, price, kind, media, active, made_at) \
                       VALUES ($1, $2, NULL, $3, $4, $5, $6, 1, $7)";
            let add = sqlx::query(sql).bind(id).bind(object).bind(title).bind(price.0);
            let add = add.bind(kind.name()).bind(i64::from(media)).bind(now);
            add.execute(&mut *connection).await?;
        }
        Ok(())
    })
    .await
}

async fn has_object(connection: &mut AnyConnection) -> Result<bool, Fault> {
    let sql = "SELECT COUNT(*) FROM objects";
    let count: i64 = sqlx::query(sql).fetch_one(connection).await?.try_get(0)?;
    Ok(count > 0)
}
