//! Criterion's view of the accessors, in whichever mode this package is built: for work on one of
//! them, with criterion's comparison to the last run. `cargo zts-vs-nts access` compares the modes.
//!
//! The same operations as in the workload, but inlined into criterion's loop: an address may be kept
//! over its iterations. Loads and stores may not, as criterion's black box clobbers memory.

use criterion::{Criterion, criterion_group, criterion_main};
use tsrm::Runtime;
use tsrm_workload::globals::ExecutorGlobals;
use tsrm_workload::globals::executor::{CACHED_EG, EG};
use tsrm_workload::peers::{STD_CONST, STD_LAZY, THREAD_LOCAL_CRATE};

fn runtime() -> Runtime {
    Runtime::current().unwrap_or_else(|| {
        tsrm_workload::start()
            .expect("no runtime runs, and this thread is the only one to start it")
    })
}

fn accessors(criterion: &mut Criterion) {
    let tsrm = runtime();
    let mut group = criterion.benchmark_group(format!("{} access", tsrm::MODE));
    tsrm.attach(|here| {
        group.bench_function("static", |bencher| bencher.iter(|| EG.get(here).increment()));
        group.bench_function("cached", |bencher| bencher.iter(|| CACHED_EG.get(here).increment()));
    });
    group.bench_function("with", |bencher| bencher.iter(|| EG.with(ExecutorGlobals::increment)));
    group.finish();
}

fn attaches(criterion: &mut Criterion) {
    let tsrm = runtime();
    let mut group = criterion.benchmark_group(format!("{} attach", tsrm::MODE));
    group.bench_function("again", |bencher| bencher.iter(|| tsrm.attach(|_| ())));
    tsrm.attach(|_| {
        group.bench_function("nested", |bencher| bencher.iter(|| tsrm.attach(|_| ())));
    });
    group.finish();
}

fn peers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("peers");
    group.bench_function("std const", |bencher| {
        bencher.iter(|| STD_CONST.with(ExecutorGlobals::increment));
    });
    group.bench_function("std lazy", |bencher| {
        bencher.iter(|| STD_LAZY.with(ExecutorGlobals::increment));
    });
    group.bench_function("thread_local crate", |bencher| {
        bencher.iter(|| THREAD_LOCAL_CRATE.get_or(ExecutorGlobals::new).increment());
    });
    group.finish();
}

fn short() -> Criterion {
    use std::time::Duration;
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(50)
}

criterion_group! { name = access; config = short(); targets = accessors, attaches, peers }
criterion_main!(access);
