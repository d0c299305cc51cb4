//! What must not compile, and what must.
//!
//! Each file of `ui/` is a program. `declare/` and `hook/` hold mistakes: their `.stderr` shows
//! what their author reads. `send/`, `escape/` and `forge/` hold attacks on the token, each of
//! which must be refused, in a thread-safe and in a single-threaded build alike: the same `.stderr`
//! serves both. `pass/` holds what must compile without a warning, and runs.
//!
//! A compiler's wording changes from release to release, so this runs with one release only. To
//! write the `.stderr` files anew: `TRYBUILD=overwrite cargo test -p tsrm-tests --test ui`.
#![forbid(unsafe_code)]

use std::env;
use std::process::Command;

/// The release that wrote the `.stderr` files.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn ui() {
    println!("mode: {}", tsrm::MODE);
    let compiler = compiler();
    if !compiler.starts_with(COMPILER) {
        println!("skipped: the messages are those of {COMPILER}x, this is {compiler}");
        return;
    }
    let cases = trybuild::TestCases::new();
    for refused in ["declare", "hook", "send", "escape", "forge"] {
        cases.compile_fail(format!("ui/{refused}/*.rs"));
    }
    cases.pass("ui/pass/*.rs");
    // The cases are built in the mode that this test was built in.
    cases.pass(if tsrm::SINGLE_THREADED { "ui/mode/nts.rs" } else { "ui/mode/zts.rs" });
}

/// What the compiler that builds the cases calls itself.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc).arg("--version").output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {}: {error}", rustc.display()));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
