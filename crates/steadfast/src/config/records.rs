//! Which database business data is kept in.

use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};

use super::env::{Env, Invalid};
use super::{Declared, value};
use crate::records::{Database, check_postgres};

/// The file in the data directory.
const FILE: &str = "records.db";

pub(super) fn gather(env: &mut Env<'_>, declared: &Declared) -> Result<Option<Database>, Invalid> {
    if !declared.has_records {
        return Ok(None);
    }
    let Some(url) = env.secret("DATABASE_URL")? else {
        let dir = env.parse("DATA_DIR", |text| Ok(PathBuf::from(text)))?;
        return Ok(Some(Database::Sqlite(dir.join(FILE))));
    };
    let database = env.parse_secret("DATABASE_URL", &url, database)?;
    passwords(&database).into_iter().for_each(|password| env.hide(password));
    Ok(Some(database))
}

fn database(url: &str) -> Result<Database, String> {
    let fix = "expected `postgres://user:password@host/database` or `sqlite:///path/to/file`";
    match url.split_once(':') {
        Some(("postgres" | "postgresql", _)) => postgres(url),
        Some(("sqlite", path)) => sqlite(path),
        // What has no scheme may be a password gone astray.
        Some((scheme, rest)) if rest.starts_with("//") => {
            Err(format!("begins with `{scheme}://`, which is not supported: {fix}"))
        }
        _ => Err(format!("is no address of a database: {fix}")),
    }
}

fn postgres(url: &str) -> Result<Database, String> {
    let fix = "expected `postgres://user:password@host/database`, with `%40` and the like for special characters";
    match check_postgres(url) {
        Ok(()) => Ok(Database::Postgres(url.into())),
        Err(reason) => Err(format!("{reason}: {fix}")),
    }
}

fn sqlite(path: &str) -> Result<Database, String> {
    let path = path.strip_prefix("//").unwrap_or(path);
    match path {
        "" => Err("names no file: expected `sqlite:///path/to/file`".to_owned()),
        ":memory:" => {
            Err("names the memory, where records would be lost: expected `sqlite:///path/to/file`"
                .to_owned())
        }
        _ if path.contains('?') => {
            Err("has options behind the file, of which there are none: remove them".to_owned())
        }
        _ => Ok(Database::Sqlite(value::decoded(path).into())),
    }
}

/// Every way in which the password stands in the address, and the password in the clear.
fn passwords(database: &Database) -> Vec<SecretString> {
    let Database::Postgres(url) = database else {
        return Vec::new();
    };
    let (base, query) = parts(url.expose_secret());
    let login = base.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@'));
    let login = login.and_then(|(login, _)| login.split_once(':'));
    let asked = query.split('&').filter_map(|pair| pair.strip_prefix("password="));
    let written = login.map(|(_, password)| password).into_iter().chain(asked);
    written.flat_map(|it| [it.to_owned().into(), value::decoded(it).into()]).collect()
}

fn parts(url: &str) -> (&str, &str) {
    url.split_once('?').unwrap_or((url, ""))
}
