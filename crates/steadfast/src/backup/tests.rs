//! Copies of small files.

use tempfile::TempDir;

use super::*;

/// A directory, and a file of SQLite's in it that says this.
fn kept(word: &str) -> (TempDir, Place) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("data/records.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    let sql = format!("CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('{word}')");
    connection.execute_batch(&sql).unwrap();
    let name = "records.db";
    (dir, Place { name, path })
}

fn word(place: &Place) -> String {
    let connection = Connection::open(&place.path).unwrap();
    let found = connection.query_row("SELECT word FROM words", [], |row| row.get(0));
    found.unwrap()
}

#[test]
fn what_was_copied_comes_back() {
    let (dir, place) = kept("one");
    let backup = dir.path().join("backup");
    // Somebody has it open, and has not moved everything into the one file.
    let open = Connection::open(&place.path).unwrap();
    open.execute("UPDATE words SET word = 'two'", []).unwrap();
    let manifest = take(std::slice::from_ref(&place), &backup, "1.2.3").unwrap();
    open.execute("UPDATE words SET word = 'three'", []).unwrap();
    assert_eq!(manifest.files.len(), 1);
    assert_eq!(manifest, Manifest::read(&backup).unwrap());

    let path = dir.path().join("new/records.db");
    let new = Place { path, ..place };
    let aside = restore(std::slice::from_ref(&new), &backup, false).unwrap();
    assert!(aside.is_empty(), "{aside:?}");
    assert_eq!(word(&new), "two");
}

#[test]
fn nothing_is_overwritten() {
    let (dir, place) = kept("one");
    let places = std::slice::from_ref(&place);
    let backup = dir.path().join("backup");
    take(places, &backup, "1.2.3").unwrap();
    assert!(matches!(take(places, &backup, "1.2.3"), Err(Error::Taken(_))));
    assert!(matches!(restore(places, &backup, false), Err(Error::Exists(_))));

    let open = Connection::open(&place.path).unwrap();
    open.execute("UPDATE words SET word = 'two'", []).unwrap();
    drop(open);
    let aside = restore(places, &backup, true).unwrap();
    assert_eq!(word(&place), "one");
    let path = aside.into_iter().next().unwrap();
    assert_eq!(word(&Place { path, ..place }), "two");
}

#[test]
fn what_is_not_as_it_was_taken_is_refused() {
    let (dir, place) = kept("one");
    let backup = dir.path().join("backup");
    take(std::slice::from_ref(&place), &backup, "1.2.3").unwrap();
    let new = Place { path: dir.path().join("new/records.db"), ..place };
    let try_it = || restore(std::slice::from_ref(&new), &backup, false);
    assert!(matches!(restore(&[], &backup, false), Err(Error::Homeless(_))));
    let copy = backup.join("records.db");
    let whole = fs::read(&copy).unwrap();
    fs::write(&copy, &whole[..whole.len() - 1]).unwrap();
    assert!(matches!(try_it(), Err(Error::Damaged(..))));
    fs::write(&copy, whole).unwrap();
    fs::remove_file(backup.join("manifest.json")).unwrap();
    assert!(matches!(try_it(), Err(Error::Io(..))));
    assert!(!new.path.exists());
}

#[test]
fn where_nothing_is_there_is_nothing_to_copy() {
    let dir = TempDir::new().unwrap();
    let place = Place { name: "records.db", path: dir.path().join("records.db") };
    let missing = take(&[place], &dir.path().join("backup"), "1.2.3");
    assert!(matches!(missing, Err(Error::Missing(_))));
}
