//! Eight threads that do everything at once, at random, to a value that shows it if two of them get in that must not.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tsrm::sync::{
    Exclusive, Guard, RecursiveSuxLock, Shared, SharedGuard, SrwMutex, SuxLock, Token, Update,
};
use tsrm::thread::scope;
use tsrm::{Attached, Runtime};
use tsrm_locks::{Pair, Random, seeds};

use crate::table::{FREE, entries, entries_recursive};
use crate::together;

const THREADS: u64 = 8;
const STEPS: u64 = 1_000;

/// What each thread does; it says how often it has written.
fn threads(seed: u64, work: impl Fn(Attached<'_>, &mut Random) -> u64 + Sync) -> u64 {
    let writes = AtomicU64::new(0);
    scope(|scope| {
        for thread in 0..THREADS {
            let (writes, work) = (&writes, &work);
            scope.spawn(move |here| {
                let mut random = Random::new(seed * THREADS + thread);
                for _ in 0..STEPS {
                    writes.fetch_add(work(here, &mut random), Ordering::Relaxed);
                }
            });
        }
    });
    writes.into_inner()
}

/// Holds on their way from one thread to another. Whoever leaves one here comes back before it waits for anything.
#[derive(Default)]
struct Pool<'l> {
    shared: Mutex<Vec<Token<Shared, &'l SuxLock<Pair>>>>,
    updates: Mutex<Vec<Token<Update, &'l SuxLock<Pair>>>>,
    exclusives: Mutex<Vec<Token<Exclusive, &'l SuxLock<Pair>>>>,
}

/// The newest one, without keeping the pool locked.
fn pop<T>(tokens: &Mutex<Vec<T>>) -> Option<T> {
    tokens.lock().unwrap().pop()
}

fn push<T>(tokens: &Mutex<Vec<T>>, token: T) {
    tokens.lock().unwrap().push(token);
}

impl Pool<'_> {
    /// Goes on with what others, or this thread, have left. Returns how often it wrote.
    fn clear(&self, here: Attached<'_>, random: &mut Random) -> u64 {
        let mut writes = 0;
        while let Some(token) = pop(&self.exclusives) {
            Guard::from_token(here, token).write(random);
            writes += 1;
        }
        while let Some(token) = pop(&self.updates) {
            let update = Guard::from_token(here, token);
            let seen = update.read(random);
            // Others may have left shared holds, for which this one must not wait.
            if let Ok(mut exclusive) = update.try_upgrade() {
                assert_eq!(exclusive.read(random), seen);
                exclusive.write(random);
                writes += 1;
            }
        }
        while let Some(token) = pop(&self.shared) {
            SharedGuard::from_token(here, token).read(random);
        }
        writes
    }
}

fn step<'l>(
    lock: &'l SuxLock<Pair>,
    pool: &Pool<'l>,
    here: Attached<'_>,
    random: &mut Random,
) -> u64 {
    let timeout = random.timeout();
    match random.below(12) {
        0 | 1 => {
            lock.shared(here).read(random);
        }
        2 => {
            let guard = if random.below(2) == 0 {
                lock.try_shared(here)
            } else {
                lock.shared_timeout(here, timeout)
            };
            guard.inspect(|guard| {
                guard.read(random);
            });
        }
        3 => return update(lock, here, random),
        4 => {
            let Some(guard) = lock.update_timeout(here, timeout) else { return 0 };
            let seen = guard.read(random);
            match guard.upgrade_timeout(timeout) {
                Ok(mut guard) => {
                    assert_eq!(guard.read(random), seen);
                    guard.write(random);
                    return 1;
                }
                Err(guard) => assert_eq!(guard.downgrade().read(random), seen),
            }
        }
        5 => {
            let Some(guard) = lock.try_update(here) else { return 0 };
            let Ok(mut guard) = guard.try_upgrade() else { return 0 };
            guard.write(random);
            return 1;
        }
        6 => {
            lock.exclusive(here).write(random);
            return 1;
        }
        7 => {
            let guard = if random.below(2) == 0 {
                lock.try_exclusive(here)
            } else {
                lock.exclusive_timeout(here, timeout)
            };
            return guard.map_or(0, |mut guard| {
                guard.write(random);
                1
            });
        }
        8 => return there_and_back(lock, here, random),
        9 => {
            let mut guard = lock.exclusive(here);
            guard.write(random);
            push(&pool.exclusives, guard.into_token());
            return 1 + pool.clear(here, random);
        }
        10 => {
            push(&pool.updates, lock.update(here).into_token());
            return pool.clear(here, random);
        }
        _ => {
            push(&pool.shared, lock.shared(here).into_token());
            return pool.clear(here, random);
        }
    }
    0
}

fn update(lock: &SuxLock<Pair>, here: Attached<'_>, random: &mut Random) -> u64 {
    let guard = lock.update(here);
    let seen = guard.read(random);
    if random.below(2) == 0 {
        return 0;
    }
    let mut guard = guard.upgrade();
    assert_eq!(guard.read(random), seen, "somebody wrote during the upgrade");
    guard.write(random);
    1
}

/// Through all the modes, and never without the lock.
fn there_and_back(lock: &SuxLock<Pair>, here: Attached<'_>, random: &mut Random) -> u64 {
    let mut guard = lock.exclusive(here);
    guard.write(random);
    let seen = guard.read(random);
    let guard = guard.downgrade_to_update();
    assert_eq!(guard.read(random), seen);
    let mut guard = guard.upgrade();
    guard.write(random);
    let guard = guard.downgrade();
    assert_eq!(guard.read(random), seen + 1);
    match guard.try_into_update() {
        Ok(guard) => {
            let mut guard = guard.upgrade();
            assert_eq!(guard.read(random), seen + 1);
            guard.write(random);
            3
        }
        Err(guard) => {
            assert_eq!(guard.read(random), seen + 1);
            2
        }
    }
}

#[tsrm::test(together)]
fn of_a_lock(tsrm: Runtime) {
    for seed in seeds(4) {
        let lock = SuxLock::new(Pair::default());
        let pool = Pool::default();
        let writes = threads(seed, |here, random| step(&lock, &pool, here, random));
        tsrm.attach(|here| assert_eq!(entries(&lock, here), FREE));
        assert_eq!(lock.into_inner().read(&mut Random::new(1)), writes, "seed {seed}");
    }
}

#[tsrm::test(together)]
fn of_a_mutex(_tsrm: Runtime) {
    for seed in seeds(4) {
        let mutex = SrwMutex::new(Pair::default());
        let tokens = Mutex::new(Vec::new());
        let writes = threads(seed, |here, random| {
            let guard = match random.below(4) {
                0 => mutex.try_lock(here),
                1 => mutex.lock_timeout(here, random.timeout()),
                _ => Some(mutex.lock(here)),
            };
            let Some(mut guard) = guard else { return 0 };
            guard.write(random);
            if random.below(4) > 0 {
                return 1;
            }
            push(&tokens, guard.into_token());
            pop(&tokens).map_or(1, |token| {
                Guard::from_token(here, token).write(random);
                2
            })
        });
        assert_eq!(mutex.into_inner().read(&mut Random::new(1)), writes, "seed {seed}");
    }
}

/// A recursive lock lends its value by `&` only: one after the other, and not at once, is how these are written.
#[derive(Debug, Default)]
struct Twice(AtomicU64, AtomicU64);

impl Twice {
    fn read(&self, random: &mut Random) -> u64 {
        let left = self.0.load(Ordering::Relaxed);
        random.stay();
        assert_eq!(self.1.load(Ordering::Relaxed), left, "somebody writes");
        left
    }

    fn write(&self, random: &mut Random) {
        let before = self.read(random);
        self.0.store(before + 1, Ordering::Relaxed);
        random.stay();
        self.1.store(before + 1, Ordering::Relaxed);
    }
}

fn recursive_step(lock: &RecursiveSuxLock<Twice>, here: Attached<'_>, random: &mut Random) -> u64 {
    let timeout = random.timeout();
    match random.below(7) {
        0 => {
            lock.shared(here).read(random);
        }
        1 => {
            lock.shared_timeout(here, timeout).inspect(|guard| {
                guard.read(random);
            });
        }
        2 => {
            let outer = lock.update(here);
            let seen = outer.read(random);
            lock.exclusive(here).write(random);
            assert_eq!(lock.update(here).read(random), seen + 1);
            return 1;
        }
        3 => {
            let Some(outer) = lock.update_timeout(here, timeout) else { return 0 };
            let seen = outer.read(random);
            match lock.exclusive_timeout(here, timeout) {
                Some(inner) => {
                    inner.write(random);
                    drop(outer);
                    return 1;
                }
                None => assert_eq!(outer.read(random), seen),
            }
        }
        4 => {
            let outer = lock.exclusive(here);
            outer.write(random);
            let inner = lock.update(here);
            drop(outer);
            inner.read(random);
            return 1;
        }
        5 => {
            let Some(guard) = lock.try_exclusive(here) else { return 0 };
            lock.exclusive(here).write(random);
            drop(Guard::from_token(here, guard.try_into_token().unwrap()));
            return 1;
        }
        _ => {
            let Some(guard) = lock.try_update(here) else { return 0 };
            let token = guard.try_into_token().unwrap();
            assert!(lock.try_update(here).is_none(), "the token is nobody's");
            Guard::from_token(here, token).read(random);
        }
    }
    0
}

#[tsrm::test(together)]
fn of_a_recursive_lock(tsrm: Runtime) {
    for seed in seeds(4) {
        let lock = RecursiveSuxLock::new(Twice::default());
        let writes = threads(seed, |here, random| recursive_step(&lock, here, random));
        tsrm.attach(|here| assert_eq!(entries_recursive(&lock, here), FREE));
        assert_eq!(lock.into_inner().read(&mut Random::new(1)), writes, "seed {seed}");
    }
}
