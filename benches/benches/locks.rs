//! Criterion's view of free locks, in whichever mode this package is built: for work on one lock, with criterion's
//! comparison to the last run. `cargo zts-vs-nts locks` compares modes, peers, and numbers of threads.
//!
//! The same locks as in the workload, by one thread.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tsrm::{Attached, Runtime};
#[cfg(unix)]
use tsrm_workload::locks::peers::PthreadRwLock;
use tsrm_workload::locks::peers::{
    ParkingLot, ParkingLot12, ParkingLotMutex, Std, StdMutex, Usync,
};
use tsrm_workload::locks::{Alone, Lock, RawRwLock, RawSrwMutex, Srw, Sux};

fn runtime() -> Runtime {
    Runtime::current().unwrap_or_else(|| {
        tsrm_workload::start()
            .expect("no runtime runs, and this thread is the only one to start it")
    })
}

fn inside() {
    black_box(());
}

/// What a lock of this kind has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Exclusive,
    Shared,
    Upgradable,
}

fn lock<L: Lock>(criterion: &mut Criterion, here: Attached<'_>, name: &str, kind: Kind) {
    let lock = Alone::<L>::new();
    let lock = black_box(&lock);
    let mut group = criterion.benchmark_group(format!("{} {name}", tsrm::MODE));
    group.bench_function("X", |bencher| bencher.iter(|| lock.exclusive(here, inside)));
    if kind >= Kind::Shared {
        group.bench_function("S", |bencher| bencher.iter(|| lock.shared(here, inside)));
    }
    if kind >= Kind::Upgradable {
        group.bench_function("U", |bencher| bencher.iter(|| lock.update(here, inside)));
        group.bench_function("U-X-U", |bencher| {
            bencher.iter(|| lock.upgraded(here, inside, inside));
        });
    }
    group.finish();
}

fn ours(criterion: &mut Criterion) {
    runtime().attach(|here| {
        lock::<Sux>(criterion, here, "SuxLock", Kind::Upgradable);
        lock::<Srw>(criterion, here, "SrwMutex", Kind::Exclusive);
        lock::<RawRwLock>(criterion, here, "raw RwLock", Kind::Upgradable);
        lock::<RawSrwMutex>(criterion, here, "raw Mutex", Kind::Exclusive);
    });
}

fn peers(criterion: &mut Criterion) {
    runtime().attach(|here| {
        lock::<ParkingLot>(criterion, here, "parking_lot RwLock", Kind::Upgradable);
        lock::<ParkingLotMutex>(criterion, here, "parking_lot Mutex", Kind::Exclusive);
        lock::<ParkingLot12>(criterion, here, "parking_lot 0.12 RwLock", Kind::Upgradable);
        lock::<Std>(criterion, here, "std RwLock", Kind::Shared);
        lock::<StdMutex>(criterion, here, "std Mutex", Kind::Exclusive);
        lock::<Usync>(criterion, here, "usync RwLock", Kind::Shared);
        #[cfg(unix)]
        lock::<PthreadRwLock>(criterion, here, "pthread rwlock", Kind::Shared);
    });
}

fn short() -> Criterion {
    use std::time::Duration;
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(50)
}

criterion_group! { name = locks; config = short(); targets = ours, peers }
criterion_main!(locks);
