//! Sections that end otherwise than by their last line: by a panic, or never.

use std::mem::forget;

use tsrm::Runtime;
use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm_locks::{ends_in_a_panic, stop};

use crate::table::{EXCLUSIVE, FREE, SHARED, UPDATE, entries, entries_raw, entries_recursive};
use crate::together;

/// Ends the section with a panic, in which the guard is dropped.
fn end_in_a_panic<G>(guard: G) {
    ends_in_a_panic(move || {
        let _held = guard;
        stop();
    });
}

#[tsrm::test(together)]
fn a_panic_releases_whatever_is_held(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    let mutex = SrwMutex::new(0);
    let recursive = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        end_in_a_panic(lock.shared(here));
        assert_eq!(entries(&lock, here), FREE);
        end_in_a_panic(lock.update(here));
        assert_eq!(entries(&lock, here), FREE);
        end_in_a_panic(lock.exclusive(here));
        assert_eq!(entries(&lock, here), FREE);
        end_in_a_panic(lock.update(here).upgrade());
        assert_eq!(entries(&lock, here), FREE);
        end_in_a_panic(lock.exclusive(here).downgrade_to_update().downgrade());
        assert_eq!(entries(&lock, here), FREE);
        end_in_a_panic(mutex.lock(here));
        assert!(mutex.try_lock(here).is_some());
        // What was not dropped is still there.
        let outer = recursive.update(here);
        end_in_a_panic((recursive.update(here), recursive.exclusive(here)));
        assert_eq!(entries_recursive(&recursive, here), [true, true, true]);
        assert!(outer.try_into_token().is_ok(), "it is the only hold");
        // There is no poisoning: what the section has left behind is there for everybody.
        ends_in_a_panic(|| {
            let mut value = lock.exclusive(here);
            *value = 1;
            stop();
        });
        assert_eq!(*lock.shared(here), 1);
    });
}

#[tsrm::test(together)]
fn a_panic_ends_the_attach_too(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    ends_in_a_panic(|| {
        tsrm.attach(|here| {
            let _held = lock.exclusive(here);
            stop();
        });
    });
    tsrm.attach(|here| assert_eq!(entries(&lock, here), FREE));
}

#[tsrm::test(together)]
fn a_panic_releases_raw_locks(_tsrm: Runtime) {
    let (lock, mutex) = (RwLock::new(()), Mutex::new(()));
    end_in_a_panic(lock.read());
    end_in_a_panic(lock.upgradable_read());
    end_in_a_panic(lock.write());
    assert_eq!(entries_raw(&lock), FREE);
    end_in_a_panic(mutex.lock());
    assert!(!mutex.is_locked());
}

#[tsrm::test(together)]
fn a_leaked_guard_keeps_it_locked(tsrm: Runtime) {
    let locks = [(); 3].map(|()| SuxLock::new(()));
    let recursive = RecursiveSuxLock::new(());
    let mutex = SrwMutex::new(());
    tsrm.attach(|here| {
        forget(locks[0].shared(here));
        forget(locks[1].update(here));
        forget(locks[2].exclusive(here));
        forget(recursive.exclusive(here));
        forget(mutex.lock(here));
    });
    let are_as_they_were = || {
        tsrm.attach(|here| {
            let seen = [0, 1, 2].map(|index| entries(&locks[index], here));
            assert_eq!(seen, [SHARED, UPDATE, EXCLUSIVE]);
            assert!(mutex.try_lock(here).is_none());
        });
    };
    are_as_they_were();
    // It is this thread's still.
    tsrm.attach(|here| assert_eq!(entries_recursive(&recursive, here), [false, true, true]));
    // A detach has nothing against it, and after that this is another thread, as far as locks can tell.
    tsrm.detach().unwrap();
    are_as_they_were();
    tsrm.attach(|here| assert_eq!(entries_recursive(&recursive, here), EXCLUSIVE));
}

/// A thread's end releases nothing that it has not released; nor does what it has leaked keep it from ending.
#[tsrm::test(together)]
fn a_thread_ends_with_a_leaked_guard(tsrm: Runtime) {
    let lock = SuxLock::new(());
    std::thread::scope(|scope| {
        let leaks = || tsrm.attach(|here| forget(lock.exclusive(here)));
        scope.spawn(move || tsrm.detach_after(leaks)).join().unwrap();
    });
    tsrm.attach(|here| assert_eq!(entries(&lock, here), EXCLUSIVE));
    lock.into_inner();
}
