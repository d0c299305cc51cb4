//! Measures one build for `zts-vs-nts stats`: see [`tsrm_workload::harness`].
//!
//! - [`rows`]: counting, in our sets and in their peers;
//! - [`together`]: what a count costs each of several threads that all count;
//! - [`reading`]: what it costs to read a set of many threads, and to be one of them;
//! - [`check`]: whether counts are lost. By an argument that the others do not have: `… check`.

#![forbid(unsafe_code)]

mod check;
mod reading;
mod rows;
mod together;

use std::process::ExitCode;

use tsrm::{Runtime, SINGLE_THREADED};
use tsrm_workload::harness;
use tsrm_workload::statistics::counted;

/// How many threads count.
const THREADS: &[usize] = if SINGLE_THREADED { &[1] } else { &[1, 2, 8, 16] };

fn main() -> ExitCode {
    if std::env::args().skip(1).eq(["check"]) {
        harness::run(check)
    } else {
        harness::main(time, count)
    }
}

fn time(tsrm: Runtime) {
    prepare(tsrm);
    together::time_called(tsrm);
    for &threads in THREADS {
        together::time(tsrm, threads);
    }
    reading::time(tsrm);
}

/// Of the rest, the instructions say little.
fn count(tsrm: Runtime, n: u64) {
    prepare(tsrm);
    for row in rows::all() {
        row.called.count(tsrm, n * rows::TURNS as u64);
    }
}

fn check(tsrm: Runtime) {
    prepare(tsrm);
    check::all(tsrm);
}

fn prepare(tsrm: Runtime) {
    tsrm.register(counted::MODULE).expect("it is registered once");
    rows::warm_up(tsrm);
}
