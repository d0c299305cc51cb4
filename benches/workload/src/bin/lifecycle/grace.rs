//! Grace periods.

use tsrm::{Runtime, SINGLE_THREADED};
use tsrm_workload::harness::{clock, print};

use crate::PATIENCE;
use crate::company::Others;

/// Prints these rows.
pub(crate) fn time(tsrm: Runtime) {
    // The measuring thread is registered too, at depth 0.
    tsrm.attach(|_| ());
    quiesce(tsrm, Others::NONE);
    if !SINGLE_THREADED {
        for count in [1, 16, 64] {
            quiesce(tsrm, Others::asleep(count));
        }
        for count in [1, 16] {
            quiesce(tsrm, Others::busy(count));
        }
    }
}

fn quiesce(tsrm: Runtime, others: Others) {
    let company = others.start(tsrm);
    let wait = || tsrm.quiesce(PATIENCE).expect("every attach is short");
    let [ns] = clock::per_run(|| [clock::of(wait).0]);
    drop(company);
    print(&format!("quiesce{others}"), ns);
}
