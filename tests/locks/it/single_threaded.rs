//! What is different in a single-threaded build, where there is nobody to wait for.

use std::time::{Duration, Instant};

use tsrm::Runtime;
use tsrm::sync::{Guard, RecursiveSuxLock, SharedGuard, SrwMutex, SuxLock};
use tsrm_locks::panics;

use crate::table::{EXCLUSIVE, FREE, SHARED, UPDATE, entries, entries_recursive};
use crate::together;

/// Longer than anybody would wait for a test.
const FOR_AGES: Duration = Duration::from_secs(1_000_000);

const S: &str = "shared";
const U: &str = "for update";
const X: &str = "exclusively";

#[track_caller]
fn refuses<R>(wish: impl FnOnce() -> R, wanted: &str, held: &str) {
    let expected = format!(
        "a lock is wanted {wanted} that is held {held}: in a single-threaded build nobody would ever release it"
    );
    assert_eq!(panics(wish), expected);
}

/// What a token holds is held by nobody; in a single-threaded build nobody can come and release it either.
#[tsrm::test(together)]
fn with_a_token(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let recursive = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        let token = lock.exclusive(here).into_token();
        refuses(|| lock.shared(here), S, X);
        refuses(|| lock.update(here), U, X);
        refuses(|| lock.exclusive(here), X, X);
        drop(Guard::from_token(here, token));
        let token = lock.update(here).into_token();
        refuses(|| lock.update(here), U, U);
        drop(Guard::from_token(here, token));
        let token = lock.shared(here).into_token();
        refuses(|| lock.update(here).upgrade(), X, S);
        assert_eq!(entries(&lock, here), SHARED);
        drop(SharedGuard::from_token(here, token));
        assert_eq!(entries(&lock, here), FREE);

        let token = recursive.exclusive(here).try_into_token().unwrap();
        refuses(|| recursive.shared(here), S, X);
        refuses(|| recursive.update(here), U, X);
        refuses(|| recursive.exclusive(here), X, X);
        drop(Guard::from_token(here, token));
        assert_eq!(entries_recursive(&recursive, here), FREE);
    });
}

/// Nobody could release it meanwhile, so there is nothing to wait for.
#[tsrm::test(together)]
fn with_a_deadline_it_returns_at_once(tsrm: Runtime) {
    let lock = SuxLock::new(());
    let recursive = RecursiveSuxLock::new(());
    let mutex = SrwMutex::new(());
    let later = Instant::now() + FOR_AGES;
    tsrm.attach(|here| {
        let guards = (lock.exclusive(here), recursive.exclusive(here), mutex.lock(here));
        assert!(lock.shared_timeout(here, FOR_AGES).is_none());
        assert!(lock.shared_until(here, later).is_none());
        assert!(lock.update_timeout(here, FOR_AGES).is_none());
        assert!(lock.update_until(here, later).is_none());
        assert!(lock.exclusive_timeout(here, FOR_AGES).is_none());
        assert!(lock.exclusive_until(here, later).is_none());
        assert!(recursive.shared_timeout(here, FOR_AGES).is_none());
        assert!(recursive.shared_until(here, later).is_none());
        assert!(mutex.lock_timeout(here, FOR_AGES).is_none());
        assert!(mutex.lock_until(here, later).is_none());
        assert_eq!(entries(&lock, here), EXCLUSIVE);
        drop(guards);
        let reader = lock.shared(here);
        let update = lock.update(here).upgrade_timeout(FOR_AGES).unwrap_err();
        let update = update.upgrade_until(later).unwrap_err();
        assert_eq!(entries(&lock, here), UPDATE);
        drop((reader, update));
        let guards = (recursive.shared(here), recursive.update(here));
        assert!(recursive.exclusive_timeout(here, FOR_AGES).is_none());
        assert!(recursive.exclusive_until(here, later).is_none());
        drop(guards);
        assert_eq!(entries_recursive(&recursive, here), FREE);
        assert_eq!(entries(&lock, here), FREE);
    });
}
