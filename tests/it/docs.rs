//! Checks of README.md, AGENTS.md and the pages in `docs/`: links, paths, code blocks and generated tables.
//!
//! `deploy/docs.sh` runs their `sh` blocks. Their Rust blocks are doc tests of crate `steadfast`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use field_service::{Company, DECLARED};
use steadfast::telemetry::CATALOGUE;

/// The pages of `docs/`.
const PAGES: [&str; 16] = [
    "architecture",
    "company",
    "comparison",
    "configuration",
    "deployment",
    "emulator",
    "getting-started",
    "glossary",
    "guarantees",
    "observability",
    "operations",
    "performance",
    "records",
    "security",
    "testing",
    "writing-flows",
];

/// The top-level directories that a page can name a file of.
const PLACES: [&str; 8] =
    ["benches/", "crates/", "deploy/", "docs/", "examples/", "nginx/", "src/", "tests/"];

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns every Markdown file that is checked.
fn files() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("README.md"), PathBuf::from("AGENTS.md")];
    files.extend(entries("docs").filter(|path| path.extension().is_some_and(|it| it == "md")));
    for place in ["crates", "examples"] {
        files.extend(entries(place).map(|path| path.join("README.md")));
    }
    files
}

fn entries(dir: &str) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("an entry").path())
}

/// A fenced code block: what stands behind the opening fence, and the lines inside.
pub(crate) struct Block {
    pub(crate) info: String,
    pub(crate) text: String,
}

/// Splits a page into its prose and its fenced blocks.
pub(crate) fn split(text: &str) -> (String, Vec<Block>) {
    let (mut prose, mut blocks, mut is_inside) = (String::new(), Vec::<Block>::new(), false);
    for line in text.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (fence, blocks.last_mut()) {
            (Some(_), _) if is_inside => is_inside = false,
            (Some(info), _) => {
                blocks.push(Block { info: info.trim().to_owned(), text: String::new() });
                is_inside = true;
            }
            (None, Some(block)) if is_inside => block.text += &format!("{line}\n"),
            (None, _) => prose += &format!("{line}\n"),
        }
    }
    assert!(!is_inside, "a fenced block has no end");
    (prose, blocks)
}

/// Returns the anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in split(text).0.lines().filter(|line| line.starts_with('#')) {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor: String = heading.chars().filter(is_kept).collect();
        let anchor = anchor.replace(' ', "-");
        let mut name = anchor.clone();
        for count in 1.. {
            if anchors.insert(name) {
                break;
            }
            name = format!("{anchor}-{count}");
        }
    }
    anchors
}

/// Returns the links of a page: text and target.
fn links(text: &str) -> Vec<(String, String)> {
    let prose = split(text).0;
    let ends = prose.match_indices("](");
    let links = ends.filter_map(|(at, _)| {
        let (_, text) = prose[..at].rsplit_once('[')?;
        let (target, _) = prose[at + 2..].split_once(')')?;
        Some((text.to_owned(), target.to_owned()))
    });
    links.collect()
}

#[test]
fn links_resolve() {
    let mut count = 0;
    for file in files() {
        let text = read(&file);
        for (name, target) in links(&text) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match path {
                "" => file.clone(),
                path => file.parent().expect("a directory").join(path),
            };
            let shown = file.display();
            assert!(path.exists(), "{shown}: [{name}]({target}) leads to no file");
            let is_source = path.extension().is_some_and(|it| it == "rs");
            if let Some(test) = name.strip_prefix('`').and_then(|it| it.strip_suffix('`'))
                && is_source
                && !test.contains(['/', '.'])
            {
                let source = read(&path);
                let is_there = source.contains(&format!("fn {test}("))
                    || source.contains(&format!(" {test},"));
                assert!(is_there, "{shown}: {} has no test {test}", path.display());
            }
            if !anchor.is_empty() {
                assert!(anchors(&read(&path)).contains(anchor), "{shown}: no heading for {target}");
            }
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn every_page_exists_and_says_what_a_reader_can_do_afterwards() {
    let found: BTreeSet<_> = entries("docs").collect();
    let pages = PAGES.map(|page| PathBuf::from(format!("docs/{page}.md")));
    for page in &pages {
        assert!(found.contains(page), "{} is missing", page.display());
        let text = read(page);
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let (title, first) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
        let is_well =
            title.starts_with("# ") && first.starts_with("After reading this page you can ");
        assert!(is_well, "{}: {title} {first}", page.display());
    }
    for page in found.iter().filter(|path| path.extension().is_some_and(|it| it == "md")) {
        assert!(pages.contains(page), "{} is in no list", page.display());
    }
}

#[test]
fn pages_for_newcomers_are_short() {
    for (file, most) in [("README.md", 220), ("AGENTS.md", 60)] {
        let count = read(file).lines().count();
        assert!(count <= most, "{file} has {count} lines, and may have {most}");
    }
}

#[test]
fn pictures_are_small() {
    for file in files() {
        for (_, target) in links(&read(&file)) {
            if [".webp", ".png", ".jpg"].iter().any(|end| target.ends_with(end)) {
                let path = file.parent().expect("a directory").join(&target);
                assert!(fs::metadata(path).expect("a file").len() < 200_000, "{target}");
            }
        }
    }
}

/// Returns the words of a text that look like a path in this repository.
fn paths(text: &str) -> BTreeSet<&str> {
    let ends = |c: char| c.is_whitespace() || "`'\"()[]<>,;|:=*".contains(c);
    let words = text.split(ends).map(|word| word.trim_end_matches('.'));
    words.filter(|word| PLACES.iter().any(|place| word.starts_with(place))).collect()
}

#[test]
fn paths_in_architecture_exist() {
    let text = read("docs/architecture.md");
    let missing: Vec<_> =
        paths(&text).into_iter().filter(|path| !Path::new(path).exists()).collect();
    assert!(missing.is_empty(), "docs/architecture.md names files that do not exist: {missing:#?}");
    assert!(paths(&text).len() > 30);
}

#[test]
fn code_blocks_are_checked_somewhere() {
    const LANGUAGES: [&str; 10] =
        ["sh", "sh,manual", "mermaid", "text", "toml", "json", "ini", "yaml", "sql", "python"];
    let ignored = read(".gitignore");
    let is_ignored = |path: &str| {
        ignored.lines().filter_map(|line| line.strip_prefix('/')).any(|it| path.starts_with(it))
    };
    let compiled = read("crates/steadfast/src/docs.rs");
    for file in files() {
        let shown = file.display();
        for Block { info, text } in split(&read(&file)).1 {
            let is_rust = info == "rust" || info.starts_with("rust,");
            if is_rust {
                let own = file.with_file_name("src/lib.rs");
                let is_own = own.exists() && read(own).contains("include_str!(\"../README.md\")");
                let is_listed = compiled.contains(&format!("\"{shown}\""));
                let is_compiled = is_own || is_listed;
                assert!(is_compiled && !info.contains("ignore"), "{shown}: Rust is not compiled");
            }
            assert!(is_rust || LANGUAGES.contains(&info.as_str()), "{shown}: ```{info}");
            if info == "sh,manual" {
                for path in paths(&text).into_iter().filter(|path| !is_ignored(path)) {
                    assert!(Path::new(path).exists(), "{shown}: there is no {path}");
                }
            }
        }
    }
}

#[test]
fn first_bot_is_the_same_in_the_readme_and_on_the_page_of_the_crate() {
    let page = read("crates/steadfast/src/lib.rs");
    let lines = page.lines().filter_map(|line| line.strip_prefix("//!"));
    let page: String =
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect();
    let first = |text: &str| {
        let blocks = split(text).1;
        blocks.into_iter().find(|it| it.text.contains("fn main")).expect("a bot").text
    };
    assert_eq!(first(&page), first(&read("README.md")));
}

#[test]
fn company_shows_the_transitions_of_a_shift() {
    let diagrams = field_service::flows::edges().diagrams();
    let shift = diagrams.split("title: ").find(|it| it.starts_with("shift\n"));
    let (_, shift) = shift.and_then(|it| it.split_once("---\n")).expect("a diagram");
    let shift = shift.split("\n---").next().expect("its end").trim();
    assert!(read("docs/company.md").contains(shift), "copy it from `steadfast flows`");
}

/// Compares what stands between the marks of this name with what is generated. Writes it if `BLESS` is set.
fn compare(page: &str, name: &str, generated: &str) {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->\n"));
    let text = read(page);
    let (head, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin}"));
    let (kept, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no {end}"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(page, format!("{head}{begin}{generated}{end}{tail}")).expect("a page");
    } else {
        assert_eq!(kept, generated, "write {page} anew with `BLESS=1 cargo test --test it docs::`");
    }
}

#[test]
fn configuration_lists_every_variable() {
    let mut table = "\n| variable | default | meaning |\n|---|---|---|\n".to_owned();
    for variable in DECLARED.variables::<Company>() {
        let default = variable.default.map_or("–".to_owned(), |it| format!("`{it}`"));
        table += &format!("| `{}` | {default} | {} |\n", variable.name, variable.meaning);
    }
    compare("docs/configuration.md", "variables", &(table + "\n"));
}

#[test]
fn observability_lists_every_metric() {
    let mut table = "\n| metric | labels | meaning |\n|---|---|---|\n".to_owned();
    for metric in CATALOGUE.iter() {
        let labels: Vec<_> = metric.labels.iter().map(|(name, _)| format!("`{name}`")).collect();
        table += &format!("| `{}` | {} | {} |\n", metric.name, labels.join(", "), metric.help);
    }
    compare("docs/observability.md", "metrics", &(table + "\n"));
}
