//! Measures one build for `zts-vs-nts access`: see [`tsrm_workload::harness`].

#![forbid(unsafe_code)]

mod rows;

use std::process::ExitCode;

use tsrm::Runtime;
use tsrm_workload::harness;

fn main() -> ExitCode {
    harness::main(time, count)
}

fn time(tsrm: Runtime) {
    for row in rows::all() {
        rows::warm_up(tsrm);
        row.time(tsrm);
    }
}

fn count(tsrm: Runtime, n: u64) {
    for row in rows::all() {
        rows::warm_up(tsrm);
        row.count(tsrm, n);
    }
}
