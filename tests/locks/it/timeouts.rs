//! Waits that end at their deadline, while others wait too.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm::thread::scope;
use tsrm::{Attached, Runtime};
use tsrm_locks::{Random, Sleeper, until};

use crate::table::{EXCLUSIVE, FREE, UPDATE, entries};
use crate::together;

const SHORT: Duration = Duration::from_millis(1);
/// What a clock cannot say, and what it can.
const LONG_ONES: [Duration; 3] =
    [Duration::MAX, Duration::from_secs(500 * 365 * 24 * 60 * 60), crate::LONG];

#[tsrm::test(together)]
fn no_time_and_little_time(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let recursive = RecursiveSuxLock::new(());
    let mutex = SrwMutex::new(());
    let (raw, raw_mutex) = (RwLock::new(()), Mutex::new(()));
    tsrm.attach(|here| {
        let guards = (lock.exclusive(here), recursive.exclusive(here), mutex.lock(here));
        let raw_guards = (raw.write(), raw_mutex.lock());
        scope(|scope| {
            scope.spawn(|here| {
                for timeout in [Duration::ZERO, Duration::from_nanos(1), SHORT] {
                    let soon = Instant::now() + timeout;
                    assert!(lock.shared_timeout(here, timeout).is_none());
                    assert!(lock.update_timeout(here, timeout).is_none());
                    assert!(lock.exclusive_timeout(here, timeout).is_none());
                    assert!(lock.shared_until(here, soon).is_none());
                    assert!(lock.update_until(here, soon).is_none());
                    assert!(lock.exclusive_until(here, soon).is_none());
                    assert!(recursive.shared_timeout(here, timeout).is_none());
                    assert!(recursive.update_timeout(here, timeout).is_none());
                    assert!(recursive.exclusive_timeout(here, timeout).is_none());
                    assert!(recursive.shared_until(here, soon).is_none());
                    assert!(recursive.update_until(here, soon).is_none());
                    assert!(recursive.exclusive_until(here, soon).is_none());
                    assert!(mutex.lock_timeout(here, timeout).is_none());
                    assert!(mutex.lock_until(here, soon).is_none());
                    assert!(raw.try_read_for(timeout).is_none());
                    assert!(raw.try_upgradable_read_for(timeout).is_none());
                    assert!(raw.try_write_for(timeout).is_none());
                    assert!(raw_mutex.try_lock_for(timeout).is_none());
                }
            });
        });
        assert_eq!(entries(&lock, here), EXCLUSIVE);
        drop((guards, raw_guards));
        assert_eq!(entries(&lock, here), FREE);
        assert!(mutex.try_lock(here).is_some());
    });
}

/// They wait until the lock is released, however long they would have waited.
#[tsrm::test(together)]
fn all_the_time_in_the_world(tsrm: Runtime) {
    for timeout in LONG_ONES {
        let lock = SuxLock::new(0);
        let mutex = SrwMutex::new(());
        let sleepers = [const { Sleeper::new() }; 4];
        tsrm.attach(|here| {
            let guards = (lock.exclusive(here), mutex.lock(here));
            scope(|scope| {
                scope.spawn(|here| {
                    sleepers[0].goes_to_sleep();
                    drop(lock.shared_timeout(here, timeout).unwrap());
                });
                scope.spawn(|here| {
                    sleepers[1].goes_to_sleep();
                    *lock.update_timeout(here, timeout).unwrap().upgrade() += 1;
                });
                scope.spawn(|here| {
                    sleepers[2].goes_to_sleep();
                    *lock.exclusive_timeout(here, timeout).unwrap() += 1;
                });
                scope.spawn(|here| {
                    sleepers[3].goes_to_sleep();
                    drop(mutex.lock_timeout(here, timeout).unwrap());
                });
                sleepers.iter().for_each(Sleeper::wait_until_asleep);
                drop(guards);
            });
            assert_eq!(*lock.shared(here), 2);
        });
    }
}

#[tsrm::test(together)]
fn an_upgrade_with_all_the_time_in_the_world(tsrm: Runtime) {
    for timeout in LONG_ONES {
        let lock = SuxLock::new(0);
        let sleeper = Sleeper::new();
        tsrm.attach(|here| {
            let reader = lock.shared(here);
            scope(|scope| {
                scope.spawn(|here| {
                    let update = lock.update(here);
                    sleeper.goes_to_sleep();
                    *update.upgrade_timeout(timeout).unwrap() += 1;
                });
                sleeper.wait_until_asleep();
                drop(reader);
            });
            assert_eq!(*lock.shared(here), 1);
        });
    }
}

/// Readers sleep since somebody waits for the one that is in; when that one's patience is over, they enter.
#[tsrm::test(together)]
fn who_gives_up_lets_in_whom_it_kept_out(tsrm: Runtime) {
    // By an upgrade, then by who wants it exclusively from the start.
    for upgrades in [true, false] {
        let lock = SuxLock::new(());
        let entered = Barrier::new(4);
        let has_given_up = AtomicBool::new(false);
        tsrm.attach(|here| {
            let reader = lock.shared(here);
            scope(|scope| {
                scope.spawn(|here| {
                    // Long enough for the readers to sleep, mostly; right in any case.
                    let patience = Duration::from_millis(30);
                    if upgrades {
                        let update = lock.update(here).upgrade_timeout(patience).unwrap_err();
                        has_given_up.store(true, Ordering::Relaxed);
                        // It is one for update again.
                        entered.wait();
                        assert_eq!(entries(&lock, here), UPDATE);
                        drop(update);
                    } else {
                        assert!(lock.exclusive_timeout(here, patience).is_none());
                        has_given_up.store(true, Ordering::Relaxed);
                        entered.wait();
                    }
                });
                until(|| lock.try_shared(here).is_none() || has_given_up.load(Ordering::Relaxed));
                for _ in 0..3 {
                    scope.spawn(|here| {
                        let _guard = lock.shared(here);
                        entered.wait();
                    });
                }
            });
            drop(reader);
            assert_eq!(entries(&lock, here), FREE);
        });
    }
}

/// Two with a deadline and two without wait for a lock that is released about when the deadline passes, and that is
/// then snatched away from whoever was woken, again and again. Whether those get it or not, the others do: or they would
/// sleep for ever, which shows as a test that hangs.
fn a_wake_is_not_lost(
    hold: impl Fn(Attached<'_>, &mut dyn FnMut()) + Sync,
    with_a_deadline: impl Fn(Attached<'_>, Duration) + Sync,
    without: impl Fn(Attached<'_>) + Sync,
) {
    const ROUNDS: usize = 500;
    let begins_or_ends = Barrier::new(5);
    scope(|scope| {
        scope.spawn(|here| {
            let mut random = Random::new(1);
            for _ in 0..ROUNDS {
                hold(here, &mut || {
                    begins_or_ends.wait();
                    stay_for(random.timeout());
                });
                for _ in 0..random.below(10) {
                    hold(here, &mut || stay_for(random.timeout() / 4));
                }
                begins_or_ends.wait();
            }
        });
        for seed in [2, 3] {
            let (with_a_deadline, begins_or_ends) = (&with_a_deadline, &begins_or_ends);
            scope.spawn(move |here| {
                let mut random = Random::new(seed);
                for _ in 0..ROUNDS {
                    begins_or_ends.wait();
                    with_a_deadline(here, random.timeout());
                    begins_or_ends.wait();
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|here| {
                for _ in 0..ROUNDS {
                    begins_or_ends.wait();
                    without(here);
                    begins_or_ends.wait();
                }
            });
        }
    });
}

/// As long as others may wait for a lock, which this thread has.
fn stay_for(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        yield_now();
    }
}

#[tsrm::test(together)]
fn a_wake_is_not_lost_by_a_mutex(_tsrm: Runtime) {
    let mutex = SrwMutex::new(());
    a_wake_is_not_lost(
        |here, meanwhile| {
            let _guard = mutex.lock(here);
            meanwhile();
        },
        |here, timeout| drop(mutex.lock_timeout(here, timeout)),
        |here| drop(mutex.lock(here)),
    );
}

#[tsrm::test(together)]
fn a_wake_is_not_lost_among_updates(_tsrm: Runtime) {
    let lock = SuxLock::new(());
    a_wake_is_not_lost(
        |here, meanwhile| {
            let _guard = lock.update(here);
            meanwhile();
        },
        |here, timeout| drop(lock.update_timeout(here, timeout)),
        |here| drop(lock.update(here)),
    );
}

#[tsrm::test(together)]
fn a_wake_is_not_lost_among_writers(_tsrm: Runtime) {
    let lock = SuxLock::new(());
    a_wake_is_not_lost(
        |here, meanwhile| {
            let _guard = lock.exclusive(here);
            meanwhile();
        },
        |here, timeout| drop(lock.exclusive_timeout(here, timeout)),
        |here| drop(lock.exclusive(here)),
    );
}

#[tsrm::test(together)]
fn a_wake_is_not_lost_among_readers(_tsrm: Runtime) {
    let lock = SuxLock::new(());
    a_wake_is_not_lost(
        |here, meanwhile| {
            let _guard = lock.exclusive(here);
            meanwhile();
        },
        |here, timeout| drop(lock.shared_timeout(here, timeout)),
        |here| drop(lock.shared(here)),
    );
}

/// The one with a deadline keeps the others out while it waits for a reader.
#[tsrm::test(together)]
fn a_wake_is_not_lost_by_who_waits_for_readers(_tsrm: Runtime) {
    let lock = SuxLock::new(());
    let hold = |here: Attached<'_>, meanwhile: &mut dyn FnMut()| {
        let _guard = lock.shared(here);
        meanwhile();
    };
    let upgrade = |here: Attached<'_>, timeout| drop(lock.update(here).upgrade_timeout(timeout));
    a_wake_is_not_lost(hold, upgrade, |here| drop(lock.shared(here)));
    a_wake_is_not_lost(hold, upgrade, |here| drop(lock.exclusive(here)));
    let write = |here: Attached<'_>, timeout| drop(lock.exclusive_timeout(here, timeout));
    a_wake_is_not_lost(hold, write, |here| drop(lock.shared(here)));
    a_wake_is_not_lost(hold, write, |here| drop(lock.update(here).upgrade()));
}

#[tsrm::test(together)]
fn a_wake_is_not_lost_by_a_recursive_lock(_tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    a_wake_is_not_lost(
        |here, meanwhile| {
            let _guards = (lock.update(here), lock.exclusive(here));
            meanwhile();
        },
        |here, timeout| drop(lock.exclusive_timeout(here, timeout)),
        |here| drop((lock.update(here), lock.exclusive(here))),
    );
}
