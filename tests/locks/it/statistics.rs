//! What locks count, with the feature `lock-statistics`.
//!
//! Each of these tests runs alone, since all locks of the process are counted together.

use std::sync::Arc;
use std::time::Duration;

use tsrm::stats::{Kind, SetState, Snapshot};
use tsrm::sync::lock_statistics::{self, LOCK_STATISTICS, Locks};
use tsrm::sync::raw::{Mutex, RwLock, lock_api};
use tsrm::sync::{ExclusiveGuard, Guard, RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm::{Attached, Runtime};
use tsrm_locks::Sleeper;

/// Lists of modules that are used once.
macro_rules! alone {
    ($($name:ident)*) => { $(#[tsrm::module] mod $name {})* };
}
alone!(a1 a2 a3 a4 a5 a6 a7);

/// Acquisitions, of mutexes and then in the three modes.
fn acquisitions(now: &Snapshot) -> [u64; 4] {
    [
        now.count(Locks::MutexAcquisitions),
        now.count(Locks::SharedAcquisitions),
        now.count(Locks::UpdateAcquisitions),
        now.count(Locks::ExclusiveAcquisitions),
    ]
}

/// Spins, sleeps, wakes, timeouts, waits.
fn waits(now: &Snapshot) -> [u64; 5] {
    [
        now.count(Locks::Spins),
        now.count(Locks::Sleeps),
        now.count(Locks::Wakes),
        now.count(Locks::Timeouts),
        now.histogram(Locks::WaitTime).count(),
    ]
}

/// What was counted meanwhile.
fn meanwhile(f: impl FnOnce()) -> Snapshot {
    let before = LOCK_STATISTICS.snapshot();
    f();
    LOCK_STATISTICS.snapshot().since(&before)
}

#[tsrm::test(a1)]
fn each_acquisition_is_counted_once(tsrm: Runtime) {
    let lock = Arc::new(SuxLock::new(0));
    let recursive = RecursiveSuxLock::new(0);
    let mutex = SrwMutex::new(0);
    let long = crate::LONG;
    let count = |f: &dyn Fn(Attached<'_>)| acquisitions(&meanwhile(|| tsrm.attach(f)));
    let typed = count(&|here| {
        drop(mutex.lock(here));
        drop(mutex.try_lock(here));
        drop(mutex.lock_timeout(here, long));
        drop(lock.shared(here));
        drop(lock.try_shared(here));
        drop(lock.update(here));
        drop(lock.exclusive_timeout(here, long));
        drop(ExclusiveGuard::acquire(Arc::clone(&lock), here));
    });
    assert_eq!(typed, [3, 2, 1, 2]);
    let changed = count(&|here| {
        // Neither what was not acquired …
        let exclusive = lock.exclusive(here);
        assert!(lock.try_shared(here).is_none() && lock.try_update(here).is_none());
        assert!(lock.shared_timeout(here, Duration::ZERO).is_none());
        // … nor what changes hands or modes.
        let guard =
            exclusive.downgrade_to_update().upgrade().downgrade().try_into_update().unwrap();
        let guard = Guard::from_token(here, guard.into_token());
        drop(guard.try_upgrade().unwrap());
    });
    assert_eq!(changed, [0, 0, 0, 1]);
    let again = count(&|here| {
        let _guards = (recursive.update(here), recursive.update(here), recursive.exclusive(here));
        drop(recursive.try_exclusive(here));
    });
    assert_eq!(again, [0, 0, 2, 2]);
    let raw = (RwLock::new(0), Mutex::new(0));
    let raw = count(&|_| {
        drop(raw.1.lock());
        drop(raw.1.try_lock());
        drop(raw.1.try_lock_for(long));
        drop(raw.0.read());
        drop(raw.0.try_read());
        drop(raw.0.try_read_for(long));
        drop(raw.0.upgradable_read());
        drop(raw.0.try_upgradable_read());
        drop(raw.0.try_upgradable_read_for(long));
        drop(lock_api::RwLockUpgradableReadGuard::upgrade(raw.0.upgradable_read()));
        let _guard = raw.0.write();
        assert!(raw.0.try_write().is_none() && raw.0.try_read().is_none());
    });
    assert_eq!(raw, [3, 3, 4, 1]);
}

#[tsrm::test(a2)]
fn nobody_sleeps_or_wakes_uncontended(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let mutex = SrwMutex::new(0);
    let (raw, raw_mutex) = (RwLock::new(0), Mutex::new(0));
    let used = meanwhile(|| {
        tsrm.attach(|here| {
            for _ in 0..100 {
                *mutex.lock(here) += 1;
                *lock.exclusive(here) += 1;
                drop(lock.update(here).upgrade().downgrade());
                drop((lock.shared(here), lock.shared(here), lock.update(here)));
                *raw.write() += 1;
                drop((raw.read(), raw.upgradable_read()));
                *raw_mutex.lock() += 1;
            }
        });
    });
    assert_eq!(acquisitions(&used), [200, 300, 300, 200]);
    assert_eq!(waits(&used), [0; 5]);
    assert_eq!(
        used.count(Locks::LongestWait),
        LOCK_STATISTICS.snapshot().count(Locks::LongestWait)
    );
}

/// By threads that are attached, by ones that are not, and by both kinds of locks: not one is lost.
#[tsrm::test(a3)]
fn exact_after_a_stress(tsrm: Runtime) {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 2_000;
    let lock = SuxLock::new(0);
    let mutex = SrwMutex::new(0);
    let (raw, raw_mutex) = (RwLock::new(0), Mutex::new(0));
    let by_token = |here: Attached<'_>| {
        *lock.exclusive(here) += 1;
        drop(lock.shared(here));
        *lock.update(here).upgrade() += 1;
        *mutex.lock(here) += 1;
    };
    let by_anybody = || {
        *raw.write() += 1;
        drop(raw.read());
        drop(raw.upgradable_read());
        *raw_mutex.lock() += 1;
    };
    let attached = if tsrm::SINGLE_THREADED { 1 } else { THREADS };
    let used = meanwhile(|| {
        std::thread::scope(|scope| {
            for _ in 0..attached {
                scope.spawn(|| {
                    tsrm.detach_after(|| {
                        tsrm.attach(|here| {
                            for _ in 0..ROUNDS {
                                by_token(here);
                                by_anybody();
                            }
                        });
                    });
                });
            }
            for _ in 0..THREADS {
                scope.spawn(|| (0..ROUNDS).for_each(|_| by_anybody()));
            }
        });
    });
    let all = (2 * attached + THREADS) * ROUNDS;
    assert_eq!(acquisitions(&used), [all; 4]);
    let [_, sleeps, wakes, timeouts, waits] = waits(&used);
    assert_eq!(timeouts, 0);
    assert!(wakes <= sleeps + waits, "each is for somebody that was about to sleep");
    assert_eq!((lock.into_inner(), mutex.into_inner()), (2 * attached * ROUNDS, attached * ROUNDS));
    assert_eq!([raw.into_inner(), raw_mutex.into_inner()], [(attached + THREADS) * ROUNDS; 2]);
}

/// One thread sleeps until three readers have left, and is woken once; by a raw lock, which waits in both builds.
#[tsrm::test(a4)]
fn a_wait_and_its_end(_tsrm: Runtime) {
    let lock = RwLock::new(0);
    let sleeper = Sleeper::new();
    let before = LOCK_STATISTICS.snapshot();
    let used = meanwhile(|| {
        let [first, second, last] = [(); 3].map(|()| lock.read());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sleeper.goes_to_sleep();
                *lock.write() += 1;
            });
            sleeper.wait_until_asleep();
            drop((first, second, last));
        });
    });
    assert_eq!(acquisitions(&used), [0, 3, 0, 1]);
    let [spins, sleeps, wakes, timeouts, waits] = waits(&used);
    assert_eq!([wakes, timeouts, waits], [1, 0, 1]);
    assert_eq!([spins, sleeps].map(|count| count > 0), [true; 2]);
    let time = used.histogram(Locks::WaitTime);
    let longest = LOCK_STATISTICS.snapshot().count(Locks::LongestWait);
    assert!(longest > 0);
    assert!(time.sum() <= longest);
    assert!(longest >= before.count(Locks::LongestWait));
}

#[tsrm::test(a5)]
fn waits_that_end_at_their_deadline(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let recursive = RecursiveSuxLock::new(());
    let raw = RwLock::new(0);
    let short = Duration::from_micros(10);
    let used = meanwhile(|| {
        tsrm.attach(|here| {
            let _reader = lock.shared(here);
            assert!(lock.exclusive_timeout(here, short).is_none());
            let update = lock.update(here).upgrade_timeout(short).unwrap_err();
            assert!(update.upgrade_timeout(Duration::ZERO).is_err());
            let _reader = recursive.shared(here);
            assert!(recursive.exclusive_timeout(here, short).is_none());
            let _reader = raw.read();
            assert!(raw.try_write_for(short).is_none());
            assert!(raw.try_write().is_none(), "this one does not wait");
        });
    });
    assert_eq!(acquisitions(&used), [0, 3, 1, 0]);
    let [.., wakes, timeouts, waits] = waits(&used);
    assert_eq!([wakes, timeouts, waits], [0, 5, 5]);
}

/// Those of raw locks too; a recursive lock's are acquisitions.
#[tsrm::test(a7)]
fn upgrades(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let recursive = RecursiveSuxLock::new(0);
    let raw = RwLock::new(0);
    let used = meanwhile(|| {
        tsrm.attach(|here| {
            drop(lock.update(here).upgrade());
            drop(lock.update(here).try_upgrade().unwrap());
            let update = lock.update(here).upgrade_timeout(Duration::ZERO).unwrap();
            drop(update.downgrade_to_update().upgrade());
            let _update = recursive.update(here);
            drop(recursive.exclusive(here));
        });
        drop(lock_api::RwLockUpgradableReadGuard::upgrade(raw.upgradable_read()));
    });
    assert_eq!((used.count(Locks::Upgrades), acquisitions(&used)), (5, [0, 0, 5, 1]));
}

/// Among the statistics of the process, if its module is listed.
#[tsrm::test(lock_statistics, a6)]
fn what_readers_see(tsrm: Runtime) {
    tsrm.attach(|here| drop(SrwMutex::new(()).lock(here)));
    let all = tsrm::stats::all();
    let here = all.iter().filter(|set| set.module() == Some("lock_statistics")).collect::<Vec<_>>();
    let [set] = here[..] else { panic!("{here:?}") };
    assert_eq!(
        (set.name(), set.state(), set.is_off()),
        (Some("lock_statistics"), SetState::Up, false)
    );
    let readings: Vec<_> =
        set.iter().map(|reading| (reading.name, reading.unit, reading.value.kind())).collect();
    let expected = [
        ("mutex_acquisitions", None, Kind::Counter),
        ("shared_acquisitions", None, Kind::Counter),
        ("update_acquisitions", None, Kind::Counter),
        ("exclusive_acquisitions", None, Kind::Counter),
        ("upgrades", None, Kind::Counter),
        ("spins", None, Kind::Counter),
        ("sleeps", None, Kind::Counter),
        ("wakes", None, Kind::Counter),
        ("timeouts", None, Kind::Counter),
        ("wait_time", Some("microseconds"), Kind::Histogram),
        ("longest_wait", Some("microseconds"), Kind::Peak),
    ];
    assert_eq!(readings, expected);
    let text = tsrm::stats::prometheus(&all).unwrap();
    let types: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    let expected = [
        "lock_statistics_mutex_acquisitions_total counter",
        "lock_statistics_shared_acquisitions_total counter",
        "lock_statistics_update_acquisitions_total counter",
        "lock_statistics_exclusive_acquisitions_total counter",
        "lock_statistics_upgrades_total counter",
        "lock_statistics_spins_total counter",
        "lock_statistics_sleeps_total counter",
        "lock_statistics_wakes_total counter",
        "lock_statistics_timeouts_total counter",
        "lock_statistics_wait_time_seconds histogram",
        "lock_statistics_longest_wait_seconds gauge",
    ];
    assert_eq!(types, expected);
    let count = set.count(Locks::MutexAcquisitions);
    assert!(count > 0);
    let line = format!("\nlock_statistics_mutex_acquisitions_total {count}\n");
    assert!(text.contains(&line), "{text}");
}
