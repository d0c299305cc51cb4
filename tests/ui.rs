//! What must not compile, and what must.
//!
//! Each file of `ui/` is a program. `declare/`, `hook/` and `statistics/` hold mistakes: their
//! `.stderr` shows what their author reads. `send/`, `escape/` and `forge/` hold attacks on the token
//! (those by statistics are in `statistics/`), `locks/` those on locks, each of which must be refused,
//! in a thread-safe and in a single-threaded build alike: the same `.stderr` serves both. `pass/` holds
//! what must compile without a warning, and runs.
//!
//! A compiler's wording changes from release to release, so this runs with one release only. To
//! write the `.stderr` files anew: `TRYBUILD=overwrite cargo test -p tsrm-tests --test ui`.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The release that wrote the `.stderr` files.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

#[test]
fn programs_as_their_authors_see_them() {
    let compiler = rustc(&["--version"]);
    if !compiler.starts_with(COMPILER) {
        println!("skipped: the messages are those of {COMPILER}x, this is {compiler}");
        return;
    }
    let cases = trybuild::TestCases::new();
    for refused in ["declare", "hook", "statistics", "locks", "send", "escape", "forge"] {
        programs(refused)
            .into_iter()
            .filter(|p| has_fixed_message(p))
            .for_each(|p| cases.compile_fail(p));
    }
    programs("pass").into_iter().for_each(|program| cases.pass(program));
    // The cases are built in the mode that this test was built in.
    cases.pass(if tsrm::SINGLE_THREADED { "ui/mode/nts.rs" } else { "ui/mode/zts.rs" });
}

/// The programs of one folder of `ui/`.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new("ui").join(folder);
    let mut programs: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "{} is empty", folder.display());
    programs
}

/// Where the component `rust-src` is installed, rustc quotes the standard library, which the
/// `.stderr` files do not.
fn has_fixed_message(program: &Path) -> bool {
    let sources = Path::new(&rustc(&["--print", "sysroot"])).join("lib/rustlib/src/rust/library");
    let message = fs::read_to_string(program.with_extension("stderr")).unwrap_or_default();
    let fixed = !message.contains("$RUST") || !sources.exists();
    if !fixed {
        println!("skipped: {}, as the component rust-src is installed", program.display());
    }
    fixed
}

/// What the compiler that builds the cases answers.
fn rustc(arguments: &[&str]) -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {}: {error}", rustc.display()));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
