//! What is cheap to keep tidy: imports point downwards, every file says what it is.

use std::fs;
use std::path::{Path, PathBuf};

/// What a module may not know of: decisions know neither the wire nor the store's backends, the store knows nobody, and
/// the emulator nothing of the bot.
const FORBIDDEN: [(&str, &[&str]); 6] = [
    (
        "src/dialogue",
        &[
            "axum",
            "redis::",
            "tokio",
            "crate::http",
            "crate::pipeline",
            "crate::outbox",
            "teloxide",
        ],
    ),
    (
        "src/flows",
        &[
            "axum",
            "redis::",
            "tokio",
            "crate::http",
            "crate::pipeline",
            "crate::store",
            "teloxide",
        ],
    ),
    (
        "src/store",
        &[
            "axum",
            "crate::dialogue",
            "crate::flows",
            "crate::pipeline",
            "crate::http",
            "teloxide",
        ],
    ),
    (
        "src/records",
        &[
            "axum",
            "crate::dialogue",
            "crate::flows",
            "crate::pipeline",
            "crate::http",
            "crate::app",
            "teloxide",
        ],
    ),
    (
        "src/emulator",
        &[
            "crate::app",
            "crate::config",
            "crate::dialogue",
            "crate::flows",
            "crate::http",
            "crate::outbox",
            "crate::pipeline",
            "crate::store",
            "crate::telegram",
            "crate::update",
            "teloxide",
        ],
    ),
    (
        "src/pipeline",
        &["axum", "crate::http", "crate::app", "teloxide"],
    ),
];

#[test]
fn imports_point_downwards() {
    for (place, words) in FORBIDDEN {
        for file in sources(Path::new(place))
            .into_iter()
            .chain([PathBuf::from(format!("{place}.rs"))])
        {
            let source = fs::read_to_string(&file).unwrap();
            let imports = source
                .lines()
                .filter(|line| line.trim_start().starts_with("use "));
            for line in imports {
                let found = words.iter().find(|word| line.contains(**word));
                assert!(found.is_none(), "{}: {line}", file.display());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    for file in sources(Path::new("src"))
        .into_iter()
        .chain(sources(Path::new("tests")))
    {
        let source = fs::read_to_string(&file).unwrap();
        assert!(
            source.starts_with("//!"),
            "{} does not open with `//!`",
            file.display()
        );
    }
}

#[test]
fn the_readme_shows_the_flow_that_is_compiled_and_tested() {
    let signup = fs::read_to_string("src/dialogue/signup.md").unwrap();
    let code = signup.trim_start_matches("```rust,test_harness").trim_end();
    assert!(fs::read_to_string("README.md").unwrap().contains(code));
}

#[test]
fn the_readme_shows_the_shift_as_it_was_walked() {
    let diagrams = steadfast::flows::edges().diagrams();
    let shift = diagrams
        .split("title: ")
        .find(|it| it.starts_with("shift\n"));
    let (_, shift) = shift
        .and_then(|it| it.split_once("---\n"))
        .expect("a diagram");
    let shift = shift.split("\n---").next().expect("its end").trim();
    assert!(fs::read_to_string("README.md").unwrap().contains(shift));
}

#[test]
fn what_the_readme_points_to_is_there_and_its_pictures_are_small() {
    let readme = fs::read_to_string("README.md").unwrap();
    let targets = readme.split("](deploy/").skip(1);
    let targets: Vec<&str> = targets.filter_map(|it| it.split(')').next()).collect();
    let is_picture = |it: &&str| {
        [".webp", ".png", ".jpg"]
            .iter()
            .any(|end| it.ends_with(end))
    };
    assert!(targets.iter().any(is_picture), "it shows a picture");
    for target in targets {
        let place = Path::new("deploy").join(target.split('#').next().unwrap());
        let found = fs::metadata(&place).unwrap_or_else(|error| panic!("{target}: {error}"));
        assert!(!is_picture(&target) || found.len() < 200_000, "{target}");
    }
}

#[test]
fn no_file_is_named_for_nothing() {
    const NAMES: [&str; 7] = [
        "mod", "utils", "helpers", "common", "manager", "core", "misc",
    ];
    for file in sources(Path::new("src")) {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        assert!(!NAMES.contains(&name.as_str()), "{}", file.display());
    }
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
