//! Rules of the source tree that are cheap to check.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_file_says_what_it_is() {
    for file in product().into_iter().chain(sources(Path::new("tests"))) {
        let source = fs::read_to_string(&file).unwrap();
        assert!(source.starts_with("//!"), "{} does not open with `//!`", file.display());
    }
}

/// A flow writes by commands alone: whatever else wrote would happen as often as it is asked for. The sample of a playground is of no
/// flow, and looks first whether it is there.
#[test]
fn only_operators_and_upkeep_write_beside_commands() {
    const WRITERS: [&str; 4] = [
        "crates/steadfast/src/records/sql/forgetting.rs",
        "crates/steadfast/src/records/sql/role.rs",
        "src/records/proof.rs",
        "src/records/sample.rs",
    ];
    let places = ["src/records", "crates/steadfast/src/records"].map(Path::new).map(sources);
    let mut writers = places.concat();
    writers.retain(|file| fs::read_to_string(file).unwrap().contains(".write("));
    writers.sort();
    assert_eq!(writers, WRITERS.map(PathBuf::from));
}

#[test]
fn decisions_read_no_clock_and_throw_no_dice() {
    for file in ["src/flows", "crates/dialogue/src"].map(Path::new).map(sources).concat() {
        let source = fs::read_to_string(&file).unwrap();
        for word in ["SystemTime", "Instant::now", "Clock::system", "rand::"] {
            assert!(!source.contains(word), "{}: {word}", file.display());
        }
    }
}

#[test]
fn only_the_outbox_sends() {
    const SENDINGS: [&str; 5] =
        ["SendMessage", "SendPhoto", "SendMediaGroup", "EditMessageText", "DeleteMessage"];
    let sends = |file: &PathBuf| {
        let source = fs::read_to_string(file).unwrap();
        SENDINGS.iter().any(|word| source.contains(word))
    };
    let senders: Vec<PathBuf> = product().into_iter().filter(sends).collect();
    assert_eq!(senders, [PathBuf::from("crates/steadfast/src/outbox/send.rs")]);
}

#[test]
fn secrets_are_compared_in_constant_time() {
    let source = fs::read_to_string("crates/steadfast/src/intake/webhook/secret.rs").unwrap();
    let code = source.split("#[cfg(test)]").next().expect("code");
    assert!(code.contains(".ct_eq("));
    for word in [" == ", ".any(", ".contains("] {
        assert!(!code.contains(word), "{word}");
    }
}

#[test]
fn no_file_is_named_for_nothing() {
    const NAMES: [&str; 7] = ["mod", "utils", "helpers", "common", "manager", "core", "misc"];
    for file in product() {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(!NAMES.contains(&name.as_str()), "{}", file.display());
    }
}

/// Connections are kept and reused by the client that made them.
#[test]
fn there_is_one_client_of_the_bot_api() {
    let made = |file: &PathBuf| {
        let source = fs::read_to_string(file).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        code.matches("Telegram::new(").count()
    };
    let mut files = product();
    files.retain(|file| made(file) > 0);
    assert_eq!(files, [PathBuf::from("crates/steadfast/src/server/assembly.rs")]);
    assert_eq!(made(&files[0]), 1);
}

/// Returns the sources of the bot and of all crates, without the tests of a crate.
fn product() -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("src")];
    let crates = fs::read_dir("crates").unwrap();
    places.extend(crates.map(|entry| entry.unwrap().path().join("src")));
    places.iter().flat_map(|place| sources(place)).collect()
}

fn sources(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
