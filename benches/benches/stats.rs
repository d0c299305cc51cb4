//! Criterion's view of counting, in whichever mode this package is built: for work on one count, with
//! criterion's comparison to the last run. `cargo zts-vs-nts stats` compares the modes and numbers of
//! threads.
//!
//! The same counts as in the workload, by one thread, but inlined into criterion's loop.

use criterion::{Criterion, criterion_group, criterion_main};
use tsrm::Runtime;
use tsrm::stats::{OwnedStatistics, SharedStatistics};
use tsrm_workload::statistics::counted::{
    self, CLIENT, Client, NOT_COMPILED, NotCompiled, SWITCHED_ON, Switched, VARIOUS, Various,
};
use tsrm_workload::statistics::peers::{self, ARRAY, LOCKED};

const COUNTER: Client = Client::ALL[0];
const OTHER: Client = Client::ALL[40];

fn runtime() -> Runtime {
    Runtime::current().unwrap_or_else(|| {
        let tsrm = tsrm_workload::start()
            .expect("no runtime runs, and this thread is the only one to start it");
        tsrm.register(counted::MODULE).expect("it is registered once");
        tsrm
    })
}

fn counts(criterion: &mut Criterion) {
    let tsrm = runtime();
    let (connection, pool) = (OwnedStatistics::new(), SharedStatistics::new());
    let mut group = criterion.benchmark_group(format!("{} count", tsrm::MODE));
    tsrm.attach(|here| {
        let local = CLIENT.local(here);
        group.bench_function("process", |bencher| bencher.iter(|| CLIENT.inc(here, COUNTER)));
        group.bench_function("local", |bencher| bencher.iter(|| local.inc(COUNTER)));
        group.bench_function("connection", |bencher| {
            bencher.iter(|| connection.inc(here, &CLIENT, COUNTER));
        });
        group.bench_function("pool", |bencher| bencher.iter(|| pool.inc(here, &CLIENT, COUNTER)));
        group.bench_function("switched on", |bencher| {
            bencher.iter(|| SWITCHED_ON.inc(here, Switched::ALL[0]));
        });
        group.bench_function("compiled off", |bencher| {
            bencher.iter(|| NOT_COMPILED.inc(here, NotCompiled::ALL[0]));
        });
        group.bench_function("two at once", |bencher| {
            bencher.iter(|| CLIENT.add_all(here, [(COUNTER, 1), (OTHER, 1460)]));
        });
        group.bench_function("histogram", |bencher| {
            bencher.iter(|| VARIOUS.record(here, Various::HISTOGRAMS[0], 1250));
        });
        group.bench_function("gauge", |bencher| {
            bencher.iter(|| drop(VARIOUS.open(here, Various::GAUGES[0])));
        });
    });
    group.finish();
}

fn reads(criterion: &mut Criterion) {
    let tsrm = runtime();
    tsrm.attach(|here| CLIENT.inc(here, COUNTER));
    let mut group = criterion.benchmark_group(format!("{} read", tsrm::MODE));
    group.bench_function("snapshot", |bencher| bencher.iter(|| CLIENT.snapshot()));
    group.bench_function("per thread", |bencher| bencher.iter(|| CLIENT.per_thread()));
    group.finish();
}

fn peers(criterion: &mut Criterion) {
    peers::install_recorder();
    let (prometheus, family, metrics) =
        (peers::prometheus(), peers::prometheus_family(), peers::metrics());
    let mut group = criterion.benchmark_group("count peers");
    group.bench_function("mutex", |bencher| bencher.iter(|| peers::inc_locked(&LOCKED, 0)));
    group.bench_function("fetch_add", |bencher| bencher.iter(|| ARRAY.inc(0)));
    group.bench_function("16 shards", |bencher| bencher.iter(|| peers::inc_sharded(0)));
    group.bench_function("thread_local crate", |bencher| {
        bencher.iter(|| peers::inc_thread_local(0));
    });
    group.bench_function("prometheus handle", |bencher| bencher.iter(|| prometheus[0].inc()));
    group.bench_function("prometheus family", |bencher| {
        bencher.iter(|| peers::inc_prometheus_family(family, 0));
    });
    group.bench_function("metrics handle", |bencher| bencher.iter(|| metrics[0].increment(1)));
    group.bench_function("metrics macro", |bencher| {
        bencher.iter(peers::inc_metrics_macro::<0>);
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

criterion_group! { name = stats; config = short(); targets = counts, reads, peers }
criterion_main!(stats);
