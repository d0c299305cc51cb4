//! Who enters beside whom: the table in the documentation of `SuxLock`, for each state that there is.

use std::time::{Duration, Instant};

use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{Guard, RecursiveSuxLock, SrwMutex, SuxLock, Update};
use tsrm::{Attached, Runtime};

use crate::together;

/// Whether one more enters: shared, for update, exclusively.
pub(crate) type Entries = [bool; 3];

pub(crate) const FREE: Entries = [true, true, true];
pub(crate) const SHARED: Entries = [true, true, false];
pub(crate) const UPDATE: Entries = [true, false, false];
pub(crate) const EXCLUSIVE: Entries = [false, false, false];

/// Gives it back at once.
fn got<G>(guard: Option<G>) -> bool {
    guard.is_some()
}

/// By each of the ways that do not wait, which agree. They leave the lock as it was, or the next one would see it.
macro_rules! entries {
    ($lock:expr, $here:expr) => {{
        let (lock, here, past) = (&$lock, $here, Instant::now());
        let tried =
            [got(lock.try_shared(here)), got(lock.try_update(here)), got(lock.try_exclusive(here))];
        let with_no_time = [
            got(lock.shared_timeout(here, Duration::ZERO)),
            got(lock.update_timeout(here, Duration::ZERO)),
            got(lock.exclusive_timeout(here, Duration::ZERO)),
        ];
        let until_now = [
            got(lock.shared_until(here, past)),
            got(lock.update_until(here, past)),
            got(lock.exclusive_until(here, past)),
        ];
        assert_eq!([with_no_time, until_now], [tried; 2]);
        tried
    }};
}

#[track_caller]
pub(crate) fn entries<T: ?Sized>(lock: &SuxLock<T>, here: Attached<'_>) -> Entries {
    entries!(lock, here)
}

/// If this thread has it for update or exclusively, that is not in its way.
#[track_caller]
pub(crate) fn entries_recursive<T: ?Sized>(
    lock: &RecursiveSuxLock<T>,
    here: Attached<'_>,
) -> Entries {
    entries!(lock, here)
}

#[track_caller]
pub(crate) fn entries_raw<T: ?Sized>(lock: &RwLock<T>) -> Entries {
    let past = Instant::now();
    let tried = [got(lock.try_read()), got(lock.try_upgradable_read()), got(lock.try_write())];
    let with_no_time = [
        got(lock.try_read_for(Duration::ZERO)),
        got(lock.try_upgradable_read_for(Duration::ZERO)),
        got(lock.try_write_for(Duration::ZERO)),
    ];
    let until_now = [
        got(lock.try_read_until(past)),
        got(lock.try_upgradable_read_until(past)),
        got(lock.try_write_until(past)),
    ];
    assert_eq!([with_no_time, until_now], [tried; 2]);
    assert_eq!(lock.is_locked(), tried != FREE);
    assert_eq!(lock.is_locked_exclusive(), tried == EXCLUSIVE);
    tried
}

#[tsrm::test(together)]
fn who_enters_beside_whom(tsrm: Runtime) {
    let lock = SuxLock::new(());
    tsrm.attach(|here| {
        assert_eq!(entries(&lock, here), FREE);
        let one = lock.shared(here);
        assert_eq!(entries(&lock, here), SHARED);
        let other = lock.try_shared(here).unwrap();
        assert_eq!(entries(&lock, here), SHARED);
        let update = lock.update(here);
        assert_eq!(entries(&lock, here), UPDATE, "beside readers");
        drop((one, other));
        assert_eq!(entries(&lock, here), UPDATE);
        let late = lock.shared(here);
        drop(update);
        assert_eq!(entries(&lock, here), SHARED);
        drop(late);
        assert_eq!(entries(&lock, here), FREE);
        let exclusive = lock.exclusive(here);
        assert_eq!(entries(&lock, here), EXCLUSIVE);
        drop(exclusive);
        assert_eq!(entries(&lock, here), FREE);
    });
}

#[tsrm::test(together)]
fn who_enters_beside_whom_by_each_way_in(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let (long, later) = (crate::LONG, Instant::now() + crate::LONG);
    tsrm.attach(|here| {
        let hold = |expected| assert_eq!(entries(&lock, here), expected);
        for way in 0..3 {
            let shared = match way {
                0 => lock.try_shared(here),
                1 => lock.shared_timeout(here, long),
                _ => lock.shared_until(here, later),
            };
            hold(SHARED);
            drop(shared.unwrap());
            let update = match way {
                0 => lock.try_update(here),
                1 => lock.update_timeout(here, long),
                _ => lock.update_until(here, later),
            };
            hold(UPDATE);
            drop(update.unwrap());
            let exclusive = match way {
                0 => lock.try_exclusive(here),
                1 => lock.exclusive_timeout(here, long),
                _ => lock.exclusive_until(here, later),
            };
            hold(EXCLUSIVE);
            drop(exclusive.unwrap());
            hold(FREE);
        }
    });
}

#[tsrm::test(together)]
fn a_recursive_lock_that_others_have(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        // A token is nobody's, so it is as if another thread had it.
        assert_eq!(entries_recursive(&lock, here), FREE);
        let shared = lock.shared(here).into_token();
        assert_eq!(entries_recursive(&lock, here), SHARED);
        let update = lock.update(here).try_into_token().unwrap();
        assert_eq!(entries_recursive(&lock, here), UPDATE, "beside a reader");
        drop(Guard::from_token(here, shared));
        assert_eq!(entries_recursive(&lock, here), UPDATE);
        drop(Guard::from_token(here, update));
        assert_eq!(entries_recursive(&lock, here), FREE);
        let exclusive = lock.exclusive(here).try_into_token().unwrap();
        assert_eq!(entries_recursive(&lock, here), EXCLUSIVE);
        drop(Guard::from_token(here, exclusive));
        assert_eq!(entries_recursive(&lock, here), FREE);
    });
}

#[tsrm::test(together)]
fn a_mutex_by_each_way_in(tsrm: Runtime) {
    let mutex = SrwMutex::new(());
    let (long, now) = (crate::LONG, Instant::now());
    tsrm.attach(|here| {
        let is_free = || {
            let free = [
                got(mutex.try_lock(here)),
                got(mutex.lock_timeout(here, Duration::ZERO)),
                got(mutex.lock_until(here, now)),
            ];
            assert_eq!(free, [free[0]; 3]);
            free[0]
        };
        assert!(is_free());
        for lock in [
            &|| Some(mutex.lock(here)),
            &|| mutex.try_lock(here),
            &|| mutex.lock_timeout(here, long),
            &|| mutex.lock_until(here, now + long),
        ] as [&dyn Fn() -> _; 4]
        {
            let guard = lock();
            assert!(!is_free());
            drop(guard.unwrap());
            assert!(is_free());
        }
    });
}

#[tsrm::test(together)]
fn raw_locks(_tsrm: Runtime) {
    let lock = RwLock::new(());
    assert_eq!(entries_raw(&lock), FREE);
    let one = lock.read();
    assert_eq!(entries_raw(&lock), SHARED);
    let other = lock.try_read().unwrap();
    let update = lock.upgradable_read();
    assert_eq!(entries_raw(&lock), UPDATE);
    drop((one, other));
    assert_eq!(entries_raw(&lock), UPDATE);
    drop(update);
    let exclusive = lock.write();
    assert_eq!(entries_raw(&lock), EXCLUSIVE);
    drop(exclusive);
    assert_eq!(entries_raw(&lock), FREE);

    let mutex = Mutex::new(());
    let is_free = || {
        let free = [
            got(mutex.try_lock()),
            got(mutex.try_lock_for(Duration::ZERO)),
            got(mutex.try_lock_until(Instant::now())),
            !mutex.is_locked(),
        ];
        assert_eq!(free, [free[0]; 4]);
        free[0]
    };
    assert!(is_free());
    let guard = mutex.lock();
    assert!(!is_free());
    drop(guard);
    assert!(is_free());
    drop(mutex.try_lock_for(crate::LONG).unwrap());
    assert!(is_free());
}

/// Not only what enters, but also that what entered holds it.
#[tsrm::test(together)]
fn a_guard_by_any_reference(tsrm: Runtime) {
    let lock = SuxLock::new(1);
    tsrm.attach(|here| {
        let guard = Guard::<Update, _>::acquire(&lock, here);
        assert_eq!((*guard, entries(&lock, here)), (1, UPDATE));
        assert!(Guard::<Update, _>::try_acquire(&lock, here).is_none());
        assert!(Guard::<Update, _>::acquire_timeout(&lock, here, Duration::ZERO).is_none());
        assert!(Guard::<Update, _>::acquire_until(&lock, here, Instant::now()).is_none());
    });
}
