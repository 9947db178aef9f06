//! The Rust blocks of README.md and of the pages in `docs/`, compiled and run by `cargo test --doc`.

/// Makes a doc test of every Rust block of these pages.
macro_rules! pages {
    ($($name:ident $path:literal)+) => {
        $(
            #[doc = include_str!(concat!("../../../", $path))]
            struct $name;
        )+
    };
}

pages! {
    Readme "README.md"
    Crate "crates/steadfast/README.md"
    GettingStarted "docs/getting-started.md"
    WritingFlows "docs/writing-flows.md"
    Testing "docs/testing.md"
}

#[cfg(feature = "sql")]
pages! {
    Records "docs/records.md"
}
