//! As `stress`, by raw locks: on threads that are not attached, so in a single-threaded build as well.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tsrm::Runtime;
use tsrm::sync::raw::{Mutex, RwLock, lock_api};
use tsrm_locks::{Pair, Random, seeds};

use crate::table::{FREE, entries_raw};
use crate::together;

const THREADS: u64 = 8;
const STEPS: u64 = 1_000;

fn threads(seed: u64, work: impl Fn(&mut Random) -> u64 + Sync) -> u64 {
    let writes = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (writes, work) = (&writes, &work);
            scope.spawn(move || {
                let mut random = Random::new(seed * THREADS + thread);
                for _ in 0..STEPS {
                    writes.fetch_add(work(&mut random), Ordering::Relaxed);
                }
            });
        }
    });
    writes.into_inner()
}

fn step(lock: &RwLock<Pair>, random: &mut Random) -> u64 {
    use lock_api::{RwLockUpgradableReadGuard as Upgradable, RwLockWriteGuard as Write};
    let timeout = random.timeout();
    match random.below(9) {
        0 | 1 => {
            lock.read().read(random);
        }
        2 => {
            lock.try_read_for(timeout).inspect(|guard| {
                guard.read(random);
            });
        }
        3 => {
            let guard = lock.upgradable_read();
            let seen = guard.read(random);
            let mut guard = Upgradable::upgrade(guard);
            assert_eq!(guard.read(random), seen, "somebody wrote during the upgrade");
            guard.write(random);
            return 1;
        }
        4 => {
            let Some(guard) = lock.try_upgradable_read_for(timeout) else { return 0 };
            let seen = guard.read(random);
            match Upgradable::try_upgrade_for(guard, timeout) {
                Ok(mut guard) => {
                    assert_eq!(guard.read(random), seen);
                    guard.write(random);
                    return 1;
                }
                Err(guard) => assert_eq!(Upgradable::downgrade(guard).read(random), seen),
            }
        }
        5 => {
            lock.write().write(random);
            return 1;
        }
        6 => {
            return lock.try_write_for(timeout).map_or(0, |mut guard| {
                guard.write(random);
                1
            });
        }
        7 => {
            let mut guard = lock.write();
            guard.write(random);
            let seen = guard.read(random);
            let guard = Write::downgrade_to_upgradable(guard);
            assert_eq!(guard.read(random), seen);
            let mut guard = Upgradable::upgrade(guard);
            guard.write(random);
            assert_eq!(Write::downgrade(guard).read(random), seen + 1);
            return 2;
        }
        _ => {
            let Some(mut guard) = lock.try_write_for(Duration::ZERO) else { return 0 };
            guard.write(random);
            return 1;
        }
    }
    0
}

#[tsrm::test(together)]
fn of_a_lock(_tsrm: Runtime) {
    for seed in seeds(4) {
        let lock = RwLock::new(Pair::default());
        let writes = threads(seed, |random| step(&lock, random));
        assert_eq!(entries_raw(&lock), FREE);
        assert_eq!(lock.into_inner().read(&mut Random::new(1)), writes, "seed {seed}");
    }
}

#[tsrm::test(together)]
fn of_a_mutex(_tsrm: Runtime) {
    for seed in seeds(4) {
        let mutex = Mutex::new(Pair::default());
        let writes = threads(seed, |random| {
            let guard = match random.below(4) {
                0 => mutex.try_lock(),
                1 => mutex.try_lock_for(random.timeout()),
                _ => Some(mutex.lock()),
            };
            guard.map_or(0, |mut guard| {
                guard.write(random);
                1
            })
        });
        assert!(!mutex.is_locked());
        assert_eq!(mutex.into_inner().read(&mut Random::new(1)), writes, "seed {seed}");
    }
}
