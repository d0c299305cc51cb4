//! Criterion's view of what threads share, in whichever mode this package is built: for work on one
//! read, with criterion's comparison to the last run. `cargo zts-vs-nts lifecycle` compares the modes,
//! and measures what comes and goes.
//!
//! The same reads as in the workload, but inlined into criterion's loop.

use criterion::{Criterion, criterion_group, criterion_main};
use tsrm::Runtime;
use tsrm_workload::globals::ExecutorGlobals;
use tsrm_workload::globals::executor::{CACHED_EG, EG};
use tsrm_workload::settings::Settings;
use tsrm_workload::settings::configuration::{self, LAZY, SHARED};
use tsrm_workload::settings::peers::{self, ONCE_CELL, RW_LOCK};

fn runtime() -> Runtime {
    Runtime::current().unwrap_or_else(|| {
        let tsrm = tsrm_workload::start()
            .expect("no runtime runs, and this thread is the only one to start it");
        tsrm.register(configuration::MODULE).expect("it is registered once");
        tsrm
    })
}

fn reads(criterion: &mut Criterion) {
    let tsrm = runtime();
    let table =
        tsrm.register_resource("table", || Ok(ExecutorGlobals::new())).expect("there is memory");
    let mut group = criterion.benchmark_group(format!("{} read", tsrm::MODE));
    tsrm.attach(|here| {
        group.bench_function("static", |bencher| bencher.iter(|| EG.get(here).depth.get()));
        group.bench_function("cached", |bencher| bencher.iter(|| CACHED_EG.get(here).depth.get()));
        group.bench_function("table", |bencher| bencher.iter(|| table.get(here).depth.get()));
        group.bench_function("shared", |bencher| bencher.iter(|| SHARED.get(here).limit));
        group.bench_function("shared lazy", |bencher| bencher.iter(|| LAZY.get(here).limit));
    });
    group.finish();
    table.release();
}

fn peers(criterion: &mut Criterion) {
    ONCE_CELL.get_or_init(Settings::new);
    let (arc_swap, epoch) = (peers::arc_swap(), peers::epoch());
    let mut group = criterion.benchmark_group("read peers");
    group.bench_function("arc-swap", |bencher| bencher.iter(|| peers::read_arc_swap(arc_swap)));
    group.bench_function("crossbeam-epoch", |bencher| bencher.iter(|| epoch.read()));
    group.bench_function("std rwlock", |bencher| bencher.iter(|| peers::read_rw_lock(&RW_LOCK)));
    group.bench_function("once_cell", |bencher| bencher.iter(|| peers::read_once_cell(&ONCE_CELL)));
    group.finish();
}

fn short() -> Criterion {
    use std::time::Duration;
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(50)
}

criterion_group! { name = lifecycle; config = short(); targets = reads, peers }
criterion_main!(lifecycle);
