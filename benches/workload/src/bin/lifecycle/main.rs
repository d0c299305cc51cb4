//! Measures one build for `zts-vs-nts lifecycle`: see [`tsrm_workload::harness`].
//!
//! - [`reads`]: what reaching a shared value costs, and an attach;
//! - [`modules`]: modules that come and go, and a thread's first touch of one;
//! - [`resources`]: resources that are registered at run time;
//! - [`grace`]: grace periods;
//! - [`readers`]: whether readers are delayed by modules that come and go.
//!
//! What they need: the modules, which are [`late`]; other threads, in [`company`]; the times of very
//! many operations, in [`times`].

#![forbid(unsafe_code)]

mod company;
mod grace;
mod late;
mod modules;
mod readers;
mod reads;
mod resources;
mod times;

use std::process::ExitCode;
use std::time::Duration;

use tsrm::Runtime;
use tsrm_workload::harness;
use tsrm_workload::settings::configuration;

/// For what must come to an end: this long is for ever.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    harness::main(time, count)
}

fn time(tsrm: Runtime) {
    prepare(tsrm);
    for row in reads::all() {
        row.time(tsrm);
    }
    modules::time(tsrm);
    resources::time(tsrm);
    grace::time(tsrm);
    readers::time(tsrm);
}

/// Of the rest, the instructions say little: it waits, or differs from run to run.
fn count(tsrm: Runtime, n: u64) {
    prepare(tsrm);
    for row in reads::all() {
        row.count(tsrm, n);
    }
}

fn prepare(tsrm: Runtime) {
    tsrm.register(configuration::MODULE).expect("it is registered once");
    reads::warm_up(tsrm);
}
