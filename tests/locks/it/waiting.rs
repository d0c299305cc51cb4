//! Threads that wait for each other: who gets in when, and that nobody is forgotten.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm::thread::scope;
use tsrm::{Attached, Runtime};
use tsrm_locks::{Sleeper, until};

use crate::table::{EXCLUSIVE, FREE, SHARED, UPDATE, entries};
use crate::together;

#[tsrm::test(together)]
fn five_readers_meet(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let recursive = RecursiveSuxLock::new(());
    let inside = Barrier::new(5);
    scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|here| {
                let _guards = (lock.shared(here), recursive.shared(here));
                inside.wait();
            });
        }
    });
    tsrm.attach(|here| assert_eq!(entries(&lock, here), FREE));
}

#[tsrm::test(together)]
fn readers_enter_past_a_queued_update(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let sleepers = [const { Sleeper::new() }; 2];
    tsrm.attach(|here| {
        let update = lock.update(here);
        scope(|scope| {
            // One waits for update, one exclusively: neither has the right to come next.
            scope.spawn(|here| {
                sleepers[0].goes_to_sleep();
                drop(lock.update(here));
            });
            sleepers[0].wait_until_asleep();
            scope.spawn(|here| {
                sleepers[1].goes_to_sleep();
                drop(lock.exclusive(here));
            });
            sleepers[1].wait_until_asleep();
            assert_eq!(entries(&lock, here), UPDATE);
            scope.spawn(|here| drop(lock.shared(here))).join().unwrap();
            drop(update);
        });
        assert_eq!(entries(&lock, here), FREE);
    });
}

#[tsrm::test(together)]
fn a_writer_that_waits_for_readers_keeps_new_ones_out(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let sleeper = Sleeper::new();
    tsrm.attach(|here| {
        let reader = lock.shared(here);
        scope(|scope| {
            let writer = scope.spawn(|here| {
                sleeper.goes_to_sleep();
                *lock.exclusive(here) += 1;
            });
            until(|| lock.try_shared(here).is_none());
            sleeper.wait_until_asleep();
            assert_eq!(entries(&lock, here), EXCLUSIVE);
            assert_eq!(*reader, 0);
            drop(reader);
            writer.join().unwrap();
        });
        assert_eq!(entries(&lock, here), FREE);
        assert_eq!(*lock.shared(here), 1);
    });
}

/// Readers that are refused do not count, so the writer gets in when the one that is there leaves.
#[tsrm::test(together)]
fn a_reader_that_fails_leaves_nothing_behind(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let sleeper = Sleeper::new();
    let is_over = AtomicBool::new(false);
    tsrm.attach(|here| {
        let reader = lock.shared(here);
        scope(|scope| {
            let writer = scope.spawn(|here| {
                sleeper.goes_to_sleep();
                drop(lock.exclusive(here));
            });
            sleeper.wait_until_asleep();
            // They go on all the time, until the writer has been there.
            for _ in 0..2 {
                scope.spawn(|here| {
                    while !is_over.load(Ordering::Relaxed) {
                        let _ = lock.try_shared(here);
                    }
                });
            }
            drop(reader);
            writer.join().unwrap();
            is_over.store(true, Ordering::Relaxed);
        });
    });
}

/// There always is a reader in that does not leave before another one has come, or a writer wants to.
#[tsrm::test(together)]
fn writers_get_on_among_readers(_tsrm: Runtime) {
    const WRITES: u32 = 200;
    let lock = SuxLock::new(0);
    let entered = AtomicU32::new(0);
    scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|here| {
                loop {
                    let guard = lock.shared(here);
                    if *guard == WRITES {
                        return;
                    }
                    let before = entered.fetch_add(1, Ordering::Relaxed) + 1;
                    until(|| {
                        let another_came = entered.load(Ordering::Relaxed) != before;
                        another_came || lock.try_shared(here).is_none()
                    });
                }
            });
        }
        scope.spawn(|here| (0..WRITES).for_each(|_| *lock.exclusive(here) += 1));
    });
    assert_eq!(lock.into_inner(), WRITES);
}

/// A reader is in, somebody has it for update, writers wait: what was read for update is there after the upgrade.
#[tsrm::test(together)]
fn nobody_writes_during_an_upgrade(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let sleepers = [const { Sleeper::new() }; 3];
    let (is_read, may_upgrade) = (Barrier::new(2), Barrier::new(2));
    tsrm.attach(|here| {
        let reader = lock.shared(here);
        scope(|scope| {
            let updater = scope.spawn(|here| {
                let update = lock.update(here);
                let seen = *update;
                is_read.wait();
                may_upgrade.wait();
                sleepers[2].goes_to_sleep();
                let mut exclusive = update.upgrade();
                assert_eq!((seen, *exclusive), (0, 0));
                *exclusive = 100;
            });
            is_read.wait();
            for sleeper in &sleepers[..2] {
                scope.spawn(|here| {
                    sleeper.goes_to_sleep();
                    *lock.exclusive(here) += 1;
                });
                sleeper.wait_until_asleep();
            }
            may_upgrade.wait();
            sleepers[2].wait_until_asleep();
            assert_eq!(*reader, 0);
            drop(reader);
            updater.join().unwrap();
        });
        assert_eq!(*lock.shared(here), 102);
    });
}

/// The same without an order of events: each reads, upgrades, and writes what it read and one more.
#[tsrm::test(together)]
fn upgrades_that_count(_tsrm: Runtime) {
    const ROUNDS: u64 = 2_000;
    let lock = SuxLock::new(0);
    scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|here| {
                for _ in 0..ROUNDS {
                    let update = lock.update(here);
                    let seen = *update;
                    *update.upgrade() = seen + 1;
                }
            });
        }
        scope.spawn(|here| (0..ROUNDS).for_each(|_| *lock.exclusive(here) += 1));
        scope.spawn(|here| {
            let mut before = 0;
            while before < 4 * ROUNDS {
                let now = *lock.shared(here);
                assert!(now >= before);
                before = now;
            }
        });
    });
}

#[tsrm::test(together)]
fn two_writers_and_an_upgrade_behind_a_reader(tsrm: Runtime) {
    let lock = SuxLock::new(Vec::new());
    let sleepers = [const { Sleeper::new() }; 3];
    let is_held = Barrier::new(2);
    tsrm.attach(|here| {
        let reader = lock.shared(here);
        scope(|scope| {
            scope.spawn(|here| {
                let update = lock.update(here);
                is_held.wait();
                // When both wait behind this one.
                sleepers[1].wait_until_asleep();
                sleepers[2].wait_until_asleep();
                sleepers[0].goes_to_sleep();
                update.upgrade().push("upgraded");
            });
            is_held.wait();
            for sleeper in &sleepers[1..] {
                scope.spawn(|here| {
                    sleeper.goes_to_sleep();
                    lock.exclusive(here).push("written");
                });
            }
            sleepers[0].wait_until_asleep();
            drop(reader);
        });
        assert_eq!(*lock.shared(here), ["upgraded", "written", "written"]);
    });
}

#[tsrm::test(together)]
fn a_reader_and_a_writer_behind_a_writer(tsrm: Runtime) {
    // Whichever comes first, the other one is not forgotten.
    for reader_first in [true, false] {
        let lock = SuxLock::new(0);
        let sleepers = [const { Sleeper::new() }; 2];
        tsrm.attach(|here| {
            let exclusive = lock.exclusive(here);
            scope(|scope| {
                let read = |here: Attached<'_>| drop(lock.shared(here));
                let write = |here: Attached<'_>| *lock.exclusive(here) += 1;
                for (reads, sleeper) in [reader_first, !reader_first].into_iter().zip(&sleepers) {
                    scope.spawn(move |here| {
                        sleeper.goes_to_sleep();
                        if reads { read(here) } else { write(here) }
                    });
                    sleeper.wait_until_asleep();
                }
                drop(exclusive);
            });
            assert_eq!(*lock.shared(here), 1);
            assert_eq!(entries(&lock, here), FREE);
        });
    }
}

/// All of them wait when the first one gets it; from then on each release is what wakes the next one.
#[tsrm::test(together)]
fn each_wakes_the_next_one(tsrm: Runtime) {
    const COUNT: usize = 6;
    let lock = SuxLock::new(());
    let mutex = SrwMutex::new(());
    let recursive = RecursiveSuxLock::new(());
    let sleepers = [const { [const { Sleeper::new() }; COUNT] }; 5];
    let [updates, writers, locks, owners, upgrades] = &sleepers;
    let run = |sleepers: &[Sleeper; COUNT], hold: &(dyn Fn(Attached<'_>, &dyn Fn()) + Sync)| {
        tsrm.attach(|here| {
            scope(|scope| {
                hold(here, &|| {
                    for sleeper in sleepers {
                        scope.spawn(|here| {
                            sleeper.goes_to_sleep();
                            hold(here, &|| ());
                        });
                        sleeper.wait_until_asleep();
                    }
                });
            });
        });
    };
    run(updates, &|here, meanwhile| {
        let _guard = lock.update(here);
        meanwhile();
    });
    run(writers, &|here, meanwhile| {
        let _guard = lock.exclusive(here);
        meanwhile();
    });
    run(locks, &|here, meanwhile| {
        let _guard = mutex.lock(here);
        meanwhile();
    });
    run(owners, &|here, meanwhile| {
        let _guard = recursive.update(here);
        let _more = recursive.exclusive(here);
        meanwhile();
    });
    run(upgrades, &|here, meanwhile| {
        let _guard = lock.update(here).upgrade();
        meanwhile();
    });
    tsrm.attach(|here| assert_eq!(entries(&lock, here), FREE));
}

/// While one has it exclusively, so many readers come, and one for update or none; then it is downgraded.
fn downgraded_before(tsrm: Runtime, readers: usize, is_wanted_for_update: bool, to_update: bool) {
    let lock = SuxLock::new(());
    let sleepers: Vec<Sleeper> = (0..readers).map(|_| Sleeper::new()).collect();
    let updater = Sleeper::new();
    let inside = Barrier::new(readers + 1);
    let is_updated = AtomicBool::new(false);
    tsrm.attach(|here| {
        scope(|scope| {
            let exclusive = lock.exclusive(here);
            for sleeper in &sleepers {
                scope.spawn(|here| {
                    sleeper.goes_to_sleep();
                    let _guard = lock.shared(here);
                    inside.wait();
                });
                sleeper.wait_until_asleep();
            }
            if is_wanted_for_update {
                scope.spawn(|here| {
                    updater.goes_to_sleep();
                    let _guard = lock.update(here);
                    is_updated.store(true, Ordering::Relaxed);
                });
                updater.wait_until_asleep();
            }
            // Whoever may enter does so while this one still is in.
            if to_update {
                let update = exclusive.downgrade_to_update();
                inside.wait();
                assert!(!is_updated.load(Ordering::Relaxed));
                drop(update);
            } else {
                let shared = exclusive.downgrade();
                inside.wait();
                until(|| is_updated.load(Ordering::Relaxed) == is_wanted_for_update);
                drop(shared);
            }
        });
        assert_eq!(entries(&lock, here), FREE);
    });
}

#[tsrm::test(together)]
fn a_downgrade_lets_in_whoever_may_enter(tsrm: Runtime) {
    for readers in [0, 1, 3] {
        for is_wanted_for_update in [true, false] {
            downgraded_before(tsrm, readers, is_wanted_for_update, true);
            downgraded_before(tsrm, readers, is_wanted_for_update, false);
        }
    }
}

#[tsrm::test(together)]
fn from_update_to_shared_is_the_next_ones_turn(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let sleeper = Sleeper::new();
    tsrm.attach(|here| {
        scope(|scope| {
            let update = lock.update(here);
            let next = scope.spawn(|here| {
                sleeper.goes_to_sleep();
                drop(lock.update(here));
            });
            sleeper.wait_until_asleep();
            let shared = update.downgrade();
            next.join().unwrap();
            assert_eq!(entries(&lock, here), SHARED);
            drop(shared);
        });
    });
}

/// The second time as well as the first, with a reader in the way that leaves when somebody sleeps for it.
#[tsrm::test(together)]
fn up_and_down_with_readers_twice(tsrm: Runtime) {
    const READERS: usize = 3;
    let lock = SuxLock::new(0);
    let sleepers = [const { Sleeper::new() }; 2];
    let entered = Barrier::new(READERS + 1);
    tsrm.attach(|here| {
        scope(|scope| {
            let mut update = lock.update(here);
            for sleeper in &sleepers {
                for _ in 0..READERS {
                    scope.spawn(|here| {
                        let _guard = lock.shared(here);
                        entered.wait();
                        sleeper.wait_until_asleep();
                    });
                }
                entered.wait();
                update = update.try_upgrade().unwrap_err();
                sleeper.goes_to_sleep();
                let mut exclusive = update.upgrade();
                *exclusive += 1;
                update = exclusive.downgrade_to_update();
            }
            drop(update);
        });
        assert_eq!(*lock.shared(here), 2);
        assert_eq!(entries(&lock, here), FREE);
    });
}
