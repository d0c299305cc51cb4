//! A module that comes and goes, and a thread's first touch of it.

use std::hint::black_box;
use std::time::Duration;

use tsrm::{Attached, Runtime, SINGLE_THREADED};
use tsrm_workload::harness::{clock, print};

use crate::PATIENCE;
use crate::company::Others;
// Not the first one: what is linked is looked through from behind, and no program has so many.
use crate::late::l255::{CACHED, MODULE};

/// Prints these rows.
pub(crate) fn time(tsrm: Runtime) {
    // The measuring thread is registered too, at depth 0. It never begins with the module here.
    tsrm.attach(|_| ());
    come_and_go(tsrm, Others::NONE);
    if !SINGLE_THREADED {
        for count in [16, 64] {
            come_and_go(tsrm, Others::asleep(count));
            come_and_go(tsrm, Others::busy(count));
        }
    }
    let [ns] = clock::per_run(|| [touch_at_the_next_attach(tsrm)]);
    print("touch-next-attach", ns);
    let [ns] = clock::per_run(|| [touch_inside(tsrm)]);
    print("touch-inside", ns);
}

fn come_and_go(tsrm: Runtime, others: Others) {
    let company = others.start(tsrm);
    let [register, retire] = clock::per_run(|| {
        let (came, ()) = clock::of(|| register(tsrm));
        let (went, ()) = clock::of(|| retire(tsrm));
        [came, went]
    });
    drop(company);
    print(&format!("register{others}"), register);
    print(&format!("retire{others}"), retire);
}

fn touch_at_the_next_attach(tsrm: Runtime) -> Duration {
    register(tsrm);
    let (took, ()) = clock::of(|| tsrm.attach(touch));
    retire(tsrm);
    took
}

fn touch_inside(tsrm: Runtime) -> Duration {
    let took = tsrm.attach(|here| {
        register(tsrm);
        clock::of(|| touch(here)).0
    });
    retire(tsrm);
    took
}

fn touch(here: Attached<'_>) {
    black_box(CACHED.get(here).depth.get());
}

fn register(tsrm: Runtime) {
    tsrm.register(MODULE).expect("it is not registered");
}

fn retire(tsrm: Runtime) {
    let retired = tsrm.retire(MODULE, PATIENCE).expect("it is registered");
    assert!(retired.is_done(), "{retired}");
}
