//! Lets the program know what compiled it, for `steadfast_build_info`.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").expect("cargo names the compiler");
    let said = Command::new(rustc).arg("--version").output();
    let said = said.expect("the compiler can be asked").stdout;
    let said = String::from_utf8_lossy(&said);
    let version = said.split_whitespace().nth(1).unwrap_or("unknown");
    println!("cargo::rustc-env=STEADFAST_RUSTC={version}");
}
