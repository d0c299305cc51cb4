//! Resources that come and go.

use std::hint::black_box;

use tsrm::{Resource, Runtime};
use tsrm_workload::globals::ExecutorGlobals;
use tsrm_workload::harness::{clock, print};

/// Prints these rows.
pub(crate) fn time(tsrm: Runtime) {
    tsrm.attach(|_| ());
    let [ns] = clock::per_run(|| [clock::of(|| release(register(tsrm))).0]);
    print("resource", ns);
    let come_touch_go = || {
        let resource = register(tsrm);
        tsrm.attach(|here| {
            black_box(resource.get(here).depth.get());
        });
        release(resource);
    };
    let [ns] = clock::per_run(|| [clock::of(come_touch_go).0]);
    print("resource-touched", ns);
}

fn register(tsrm: Runtime) -> Resource<ExecutorGlobals> {
    tsrm.register_resource("late", || Ok(ExecutorGlobals::new())).expect("there is memory")
}

fn release(resource: Resource<ExecutorGlobals>) {
    assert!(resource.release(), "it was registered just now");
}
