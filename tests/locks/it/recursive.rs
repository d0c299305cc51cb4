//! What its holder may do with a recursive lock; for who is not its holder, see `table`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tsrm::sync::RecursiveSuxLock;
use tsrm::{Attached, Runtime};
use tsrm_locks::panics;

use crate::table::{EXCLUSIVE, Entries, FREE, SHARED, UPDATE, entries_recursive};
use crate::together;

/// What the owner of one for update sees, which lets readers in.
const OWN_UPDATE: Entries = [true, true, true];
/// The same beside a reader.
const OWN_UPDATE_AND_SHARED: Entries = [true, true, false];
const OWN_EXCLUSIVE: Entries = [false, true, true];

/// What another thread sees; in a single-threaded build there is none, and it is what was asked for.
#[track_caller]
fn others_see<T: Send + Sync>(lock: &RecursiveSuxLock<T>, expected: Entries) {
    if !tsrm::SINGLE_THREADED {
        let seen = tsrm::thread::scope(|scope| {
            scope.spawn(|here| entries_recursive(lock, here)).join().unwrap()
        });
        assert_eq!(seen, expected);
    }
}

#[tsrm::test(together)]
fn as_often_as_one_likes(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(1);
    tsrm.attach(|here| {
        let is = |own, expected| {
            assert_eq!(entries_recursive(&lock, here), own);
            others_see(&lock, expected);
        };
        is(FREE, FREE);
        let first = lock.update(here);
        is(OWN_UPDATE, UPDATE);
        let second = lock.update(here);
        let third = lock.try_update(here).unwrap();
        is(OWN_UPDATE, UPDATE);
        let exclusive = lock.exclusive(here);
        is(OWN_EXCLUSIVE, EXCLUSIVE);
        let again = lock.exclusive(here);
        let below = lock.update(here);
        is(OWN_EXCLUSIVE, EXCLUSIVE);
        drop(exclusive);
        is(OWN_EXCLUSIVE, EXCLUSIVE);
        drop(first);
        drop(below);
        is(OWN_EXCLUSIVE, EXCLUSIVE);
        // The last of them: for update it is again.
        drop(again);
        is(OWN_UPDATE, UPDATE);
        drop(third);
        is(OWN_UPDATE, UPDATE);
        assert_eq!(*second, 1);
        drop(second);
        is(FREE, FREE);
    });
}

#[tsrm::test(together)]
fn given_back_in_any_order(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        let exclusive = lock.exclusive(here);
        let update = lock.update(here);
        drop(exclusive);
        others_see(&lock, UPDATE);
        let exclusive = lock.exclusive(here);
        drop(update);
        others_see(&lock, EXCLUSIVE);
        drop(exclusive);
        others_see(&lock, FREE);
    });
}

#[tsrm::test(together)]
fn by_each_way_in(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    let (long, later) = (crate::LONG, Instant::now() + crate::LONG);
    tsrm.attach(|here| {
        let updates = [
            lock.update(here),
            lock.try_update(here).unwrap(),
            lock.update_timeout(here, long).unwrap(),
            lock.update_until(here, later).unwrap(),
        ];
        let exclusives = [
            lock.exclusive(here),
            lock.try_exclusive(here).unwrap(),
            lock.exclusive_timeout(here, long).unwrap(),
            lock.exclusive_until(here, later).unwrap(),
        ];
        drop(updates);
        others_see(&lock, EXCLUSIVE);
        drop(exclusives);
        others_see(&lock, FREE);
        let shared = [
            lock.shared(here),
            lock.try_shared(here).unwrap(),
            lock.shared_timeout(here, long).unwrap(),
            lock.shared_until(here, later).unwrap(),
        ];
        others_see(&lock, SHARED);
        drop(shared);
        others_see(&lock, FREE);
    });
}

#[tsrm::test(together)]
fn beside_readers(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        let reader = lock.shared(here);
        let update = lock.update(here);
        assert_eq!(entries_recursive(&lock, here), OWN_UPDATE_AND_SHARED);
        // An upgrade that fails lets readers in again.
        assert!(lock.exclusive_timeout(here, Duration::from_millis(1)).is_none());
        assert_eq!(entries_recursive(&lock, here), OWN_UPDATE_AND_SHARED);
        others_see(&lock, UPDATE);
        drop(reader);
        let exclusive = lock.try_exclusive(here).unwrap();
        others_see(&lock, EXCLUSIVE);
        drop((update, exclusive));
        others_see(&lock, FREE);
    });
}

#[tsrm::test(together)]
fn shared_by_who_has_it_exclusively(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        let exclusive = lock.exclusive(here);
        let message = panics(|| lock.shared(here));
        if !cfg!(feature = "deadlock-detection") {
            assert_eq!(
                message,
                "a lock is wanted shared that this thread has exclusively: it would wait for itself"
            );
        }
        assert!(lock.try_shared(here).is_none());
        assert!(lock.shared_timeout(here, Duration::from_millis(1)).is_none());
        others_see(&lock, EXCLUSIVE);
        drop(exclusive);
        others_see(&lock, FREE);
    });
}

/// For what it is: operations that call each other.
#[tsrm::test(together)]
fn operations_that_call_each_other(tsrm: Runtime) {
    struct Tree {
        lock: RecursiveSuxLock<AtomicU32>,
    }
    impl Tree {
        fn insert(&self, here: Attached<'_>, depth: u32) {
            let update = self.lock.update(here);
            if depth == 0 {
                return self.write(here);
            }
            let before = update.load(Ordering::Relaxed);
            self.insert(here, depth - 1);
            assert_eq!(update.load(Ordering::Relaxed), before + depth);
            self.write(here);
        }

        fn write(&self, here: Attached<'_>) {
            let value = self.lock.exclusive(here);
            value.store(value.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    let tree = Tree { lock: RecursiveSuxLock::new(AtomicU32::new(0)) };
    tsrm.attach(|here| tree.insert(here, 9));
    let insert = || {
        tsrm::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|here| (0..100).for_each(|_| tree.insert(here, 9)));
            }
        });
    };
    if tsrm::SINGLE_THREADED {
        assert_eq!(tree.lock.into_inner().into_inner(), 10);
    } else {
        insert();
        assert_eq!(tree.lock.into_inner().into_inner(), 4010);
    }
}
