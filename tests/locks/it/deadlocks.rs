//! Threads that would wait for each other for ever, with the feature `deadlock-detection`. (One that would wait for
//! itself: see `conflicts`. That there are no false alarms: all the other tests, `stress` above all.)
//!
//! Each of these tests runs alone, so that nothing but what it is about lets a thread sleep.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Barrier, Mutex, OnceLock};
use std::thread::yield_now;
use std::time::Duration;

use tsrm::sync::{ExclusiveGuard, Guard, RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm::thread::scope;
use tsrm::{Attached, Runtime};
use tsrm_locks::{Random, Sleeper, panics, without_columns};

use crate::table::{EXCLUSIVE, FREE, SHARED, entries};

/// Lists of modules that are used once.
macro_rules! alone {
    ($($name:ident)*) => { $(#[tsrm::module] mod $name {})* };
}
alone!(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10);

/// A thread that has one lock and wants another one.
#[derive(Default)]
struct Party {
    /// Its label, the line in which it took the one, and that in which it asks for the other.
    said: OnceLock<(String, u32, u32)>,
    sleeper: Sleeper,
}

impl Party {
    /// It will ask in the line that follows.
    fn asks_next(&self, here: Attached<'_>, has_since: u32, line: u32) {
        let thread = here.thread();
        let name = thread.name().map_or("(unnamed)".to_owned(), |name| format!("`{name}`"));
        let label = format!("thread {} {name}", thread.id());
        self.said.set((label, has_since, line + 1)).unwrap();
        self.sleeper.goes_to_sleep();
    }

    fn wants(&self, mode: &str, holder: &Self, held: &str) -> String {
        let (me, _, at) = self.said.get().unwrap();
        let (holder, since, _) = holder.said.get().unwrap();
        let file = file!();
        format!(
            "\n  {me} wants a lock {mode} at {file}:{at}, which {holder} has {held} since {file}:{since}"
        )
    }

    fn wants_behind(&self, mode: &str, writer: &Self) -> String {
        let (me, _, at) = self.said.get().unwrap();
        let (writer, _, wanted) = writer.said.get().unwrap();
        let file = file!();
        format!(
            "\n  {me} wants a lock {mode} at {file}:{at}, which {writer} waits to have exclusively at {file}:{wanted}"
        )
    }
}

#[track_caller]
fn says(message: &str, expected: impl IntoIterator<Item = String>) {
    let expected: Vec<String> = expected.into_iter().collect();
    assert_eq!(without_columns(message), format!("deadlock:{}", expected.concat()));
}

const S: &str = "shared";
const U: &str = "for update";
const X: &str = "exclusively";

#[tsrm::test(a1)]
fn two_threads_and_two_locks(tsrm: Runtime) {
    let (lock, mutex) = (SuxLock::new(0), SrwMutex::new(0));
    let [one, two] = [(); 2].map(|()| Party::default());
    let both_have_theirs = Barrier::new(2);
    scope(|scope| {
        scope.spawn(|here| {
            let (_guard, since) = (lock.exclusive(here), line!());
            both_have_theirs.wait();
            one.asks_next(here, since, line!());
            *mutex.lock(here) += 1;
        });
        scope.spawn(|here| {
            let message = panics(|| {
                let (_guard, since) = (mutex.lock(here), line!());
                both_have_theirs.wait();
                one.sleeper.wait_until_asleep();
                two.asks_next(here, since, line!());
                *lock.exclusive(here) += 1;
            });
            says(&message, [two.wants(X, &one, X), one.wants(X, &two, X)]);
            // The panic has released the mutex; the other thread goes on, and then this one can.
            *lock.exclusive(here) += 1;
        });
    });
    tsrm.attach(|here| assert_eq!((*lock.shared(here), *mutex.lock(here)), (1, 1)));
}

#[tsrm::test(a2)]
fn three_threads_and_three_locks(_tsrm: Runtime) {
    let locks = [(); 3].map(|()| SuxLock::new(0));
    let [one, two, three] = [(); 3].map(|()| Party::default());
    let all_have_theirs = Barrier::new(3);
    scope(|scope| {
        scope.spawn(|here| {
            let (_guard, since) = (locks[0].shared(here), line!());
            all_have_theirs.wait();
            one.asks_next(here, since, line!());
            *locks[1].exclusive(here) += 1;
        });
        let named = tsrm::thread::Builder::new().name("the second");
        let second = named.spawn_scoped(scope, |here| {
            let (_guard, since) = (locks[1].update(here), line!());
            all_have_theirs.wait();
            two.asks_next(here, since, line!());
            drop(locks[2].update(here));
        });
        second.unwrap();
        scope.spawn(|here| {
            let message = panics(|| {
                let (_guard, since) = (locks[2].exclusive(here), line!());
                all_have_theirs.wait();
                one.sleeper.wait_until_asleep();
                two.sleeper.wait_until_asleep();
                three.asks_next(here, since, line!());
                *locks[0].exclusive(here) += 1;
            });
            assert!(two.said.get().unwrap().0.ends_with(" `the second`"));
            let circle = [three.wants(X, &one, S), one.wants(X, &two, U), two.wants(U, &three, X)];
            says(&message, circle);
        });
    });
    assert_eq!(locks.map(SuxLock::into_inner), [0, 1, 0]);
}

#[tsrm::test(a3)]
fn shared_again_behind_a_writer(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let [reader, writer] = [(); 2].map(|()| Party::default());
    tsrm.attach(|here| {
        scope(|scope| {
            let (guard, since) = (lock.shared(here), line!());
            scope.spawn(|here| {
                writer.asks_next(here, 0, line!());
                *lock.exclusive(here) += 1;
            });
            writer.sleeper.wait_until_asleep();
            let message = panics(|| {
                reader.asks_next(here, since, line!());
                drop(lock.shared(here));
            });
            says(&message, [reader.wants_behind(S, &writer), writer.wants(X, &reader, S)]);
            // It still has what it had.
            assert_eq!((*guard, entries(&lock, here)), (0, EXCLUSIVE));
            drop(guard);
        });
        assert_eq!(*lock.shared(here), 1);
    });
}

#[tsrm::test(a4)]
fn an_upgrade_and_a_reader_that_wants_to_update(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let [reader, updater] = [(); 2].map(|()| Party::default());
    tsrm.attach(|here| {
        scope(|scope| {
            let (guard, since) = (lock.shared(here), line!());
            scope.spawn(|here| {
                let (update, since) = (lock.update(here), line!());
                updater.asks_next(here, since, line!());
                *update.upgrade() += 1;
            });
            updater.sleeper.wait_until_asleep();
            let message = panics(|| {
                reader.asks_next(here, since, line!());
                drop(lock.update(here));
            });
            says(&message, [reader.wants(U, &updater, U), updater.wants(X, &reader, S)]);
            drop(guard);
        });
        assert_eq!(*lock.shared(here), 1);
    });
}

/// The same, found out by the upgrade: the update lock is given back, and readers go on.
#[tsrm::test(a5)]
fn an_upgrade_is_what_closes_the_circle(tsrm: Runtime) {
    let (lock, mutex) = (SuxLock::new(0), SrwMutex::new(0));
    let [reader, updater] = [(); 2].map(|()| Party::default());
    tsrm.attach(|here| {
        scope(|scope| {
            let (held, since) = (mutex.lock(here), line!());
            scope.spawn(|here| {
                let (_guard, since) = (lock.shared(here), line!());
                reader.asks_next(here, since, line!());
                *mutex.lock(here) += 1;
            });
            reader.sleeper.wait_until_asleep();
            let message = panics(|| {
                let update = lock.update(here);
                updater.asks_next(here, since, line!());
                *update.upgrade() += 1;
            });
            says(&message, [updater.wants(X, &reader, S), reader.wants(X, &updater, X)]);
            assert_eq!(entries(&lock, here), SHARED);
            drop(held);
        });
        assert_eq!((entries(&lock, here), *mutex.lock(here)), (FREE, 1));
    });
}

#[tsrm::test(a6)]
fn by_arcs_tokens_and_recursive_locks(tsrm: Runtime) {
    let lock = Arc::new(SuxLock::new(0));
    let recursive = RecursiveSuxLock::new(());
    let [one, two] = [(); 2].map(|()| Party::default());
    // Not of the thread that made it, but of the one that has it then.
    let token = tsrm.attach(|here| ExclusiveGuard::acquire(Arc::clone(&lock), here).into_token());
    let both_have_theirs = Barrier::new(2);
    scope(|scope| {
        scope.spawn(|here| {
            let (_guard, since) = (Guard::from_token(here, token), line!());
            both_have_theirs.wait();
            one.asks_next(here, since, line!());
            drop(recursive.exclusive(here));
        });
        scope.spawn(|here| {
            let message = panics(|| {
                let (_guard, since) = (recursive.update(here), line!());
                drop(recursive.exclusive(here));
                both_have_theirs.wait();
                one.sleeper.wait_until_asleep();
                two.asks_next(here, since, line!());
                drop(lock.shared(here));
            });
            says(&message, [two.wants(S, &one, X), one.wants(X, &two, U)]);
        });
    });
    tsrm.attach(|here| assert_eq!(entries(&*lock, here), FREE));
}

/// A wait with a deadline ends, so it closes no circle and is a part of none.
#[tsrm::test(a7)]
fn with_a_deadline(_tsrm: Runtime) {
    let locks = [(); 2].map(|()| SuxLock::new(0));
    let sleeper = Sleeper::new();
    let both_have_theirs = Barrier::new(2);
    scope(|scope| {
        scope.spawn(|here| {
            let _guard = locks[0].exclusive(here);
            both_have_theirs.wait();
            sleeper.goes_to_sleep();
            *locks[1].exclusive(here) += 1;
        });
        scope.spawn(|here| {
            let guard = locks[1].exclusive(here);
            both_have_theirs.wait();
            sleeper.wait_until_asleep();
            assert!(locks[0].exclusive_timeout(here, Duration::from_millis(1)).is_none());
            assert!(locks[0].try_exclusive(here).is_none());
            drop(guard);
        });
    });
    // The other way round: first the one that gives up, then the one that can wait.
    let gives_up = Sleeper::new();
    scope(|scope| {
        scope.spawn(|here| {
            let _guard = locks[0].exclusive(here);
            both_have_theirs.wait();
            gives_up.goes_to_sleep();
            let got = locks[1].exclusive_timeout(here, Duration::from_millis(50));
            assert!(got.is_none());
        });
        scope.spawn(|here| {
            let _guard = locks[1].exclusive(here);
            both_have_theirs.wait();
            gives_up.wait_until_asleep();
            *locks[0].exclusive(here) += 1;
        });
    });
    assert_eq!(locks.map(SuxLock::into_inner), [1, 1]);
}

/// What was known of a lock goes with it: of another one at the same place it says nothing.
#[tsrm::test(a8)]
fn a_place_is_used_again(tsrm: Runtime) {
    tsrm.attach(|here| {
        let mut lock = SuxLock::new(0);
        let place = std::ptr::from_ref(&lock);
        for is_taken_apart in [false, true] {
            std::mem::forget([lock.shared(here), lock.shared(here)]);
            let value = if is_taken_apart { std::mem::take(&mut lock).into_inner() } else { 0 };
            lock = SuxLock::new(value);
            assert_eq!(std::ptr::from_ref(&lock), place);
            // This thread waits, as if for itself, if one of the leaked ones still counted.
            let sleeper = Sleeper::new();
            let token = lock.exclusive(here).into_token();
            scope(|scope| {
                scope.spawn(|here| {
                    let guard = Guard::from_token(here, token);
                    sleeper.wait_until_asleep();
                    drop(guard);
                });
                sleeper.goes_to_sleep();
                assert_eq!(*lock.exclusive(here), 0);
            });
        }
    });
}

#[tsrm::test(a9)]
fn it_panics_where_the_lock_is_wanted(tsrm: Runtime) {
    static WHERE: Mutex<Option<(String, u32)>> = Mutex::new(None);
    let (lock, mutex) = (SuxLock::new(()), SrwMutex::new(()));
    let before = take_hook();
    set_hook(Box::new(|info| {
        *WHERE.lock().unwrap() = info.location().map(|at| (at.file().to_owned(), at.line()));
    }));
    let mut seen = Vec::new();
    let mut at = |line| seen.push((WHERE.lock().unwrap().take(), Some((file!().to_owned(), line))));
    tsrm.attach(|here| {
        let _guards = (lock.shared(here), mutex.lock(here));
        let (wish, line) = (|| drop(lock.exclusive(here)), line!());
        panics(wish);
        at(line);
        let (wish, line) = (|| drop(mutex.lock(here)), line!());
        panics(wish);
        at(line);
        let (wish, line) = (|| drop(lock.update(here).upgrade()), line!());
        panics(wish);
        at(line);
    });
    set_hook(before);
    for (seen, expected) in seen {
        assert_eq!(seen, expected);
    }
}

/// Many threads, all of which take two locks in any order: some are refused, and all come to their end.
#[tsrm::test(a10)]
fn everybody_gets_on(_tsrm: Runtime) {
    const ROUNDS: u64 = 200;
    let locks = [(); 3].map(|()| SuxLock::new(0));
    scope(|scope| {
        for seed in 1..=4 {
            let locks = &locks;
            scope.spawn(move |here| {
                let mut random = Random::new(seed);
                for _ in 0..ROUNDS {
                    let (one, further) = (random.index(3), random.index(2));
                    let other = (one + 1 + further) % 3;
                    let both = || {
                        let mut one = locks[one].exclusive(here);
                        yield_now();
                        let mut other = locks[other].exclusive(here);
                        *one += 1;
                        *other += 1;
                    };
                    while let Err(refused) = catch_unwind(AssertUnwindSafe(both)) {
                        let message = refused.downcast::<String>().unwrap();
                        assert!(message.starts_with("deadlock:\n"), "{message}");
                    }
                }
            });
        }
    });
    let sum: u64 = locks.map(SuxLock::into_inner).into_iter().sum();
    assert_eq!(sum, 2 * 4 * ROUNDS);
}
