//! Measures one build for `zts-vs-nts locks`: see [`tsrm_workload::harness`].
//!
//! - [`free`]: locks that nobody else wants, in both builds;
//! - [`contended`]: the [`load`]s of many threads on one lock, and how long they wait ([`waits`]); a section's
//!   [`work`] takes 200 ns. In a single-threaded build there is no such thing.

#![forbid(unsafe_code)]

mod contended;
mod free;
mod load;
mod waits;
mod work;

use std::process::ExitCode;

use tsrm::{Runtime, SINGLE_THREADED};
use tsrm_workload::harness;

fn main() -> ExitCode {
    harness::main(time, count)
}

fn time(tsrm: Runtime) {
    free::time(tsrm);
    if !SINGLE_THREADED {
        contended::time();
    }
}

/// Nothing: with locked instructions, how many there are says little.
fn count(_tsrm: Runtime, _n: u64) {}

/// How the program that reads this calls one figure.
fn key(name: &str, workload: &str, threads: usize, figure: &str) -> String {
    format!("{name} {workload} {threads} {figure}")
}
