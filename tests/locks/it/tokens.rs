//! Holds that go from one thread to another.

use std::sync::Arc;
use std::time::Duration;

use tsrm::Runtime;
use tsrm::sync::{
    Exclusive, ExclusiveGuard, Guard, LockRef, Recursive, RecursiveSuxLock, SharedGuard, SrwMutex,
    SuxLock, Token, UpdateGuard,
};

use crate::table::{EXCLUSIVE, FREE, SHARED, UPDATE, entries, entries_recursive};
use crate::together;

#[tsrm::test(together)]
fn back_to_the_same_thread(tsrm: Runtime) {
    let lock = SuxLock::new(1);
    let mutex = SrwMutex::new(2);
    tsrm.attach(|here| {
        let token = lock.shared(here).into_token();
        assert_eq!(entries(&lock, here), SHARED);
        assert_eq!(*Guard::from_token(here, token), 1);
        assert_eq!(entries(&lock, here), FREE);

        let token = lock.update(here).into_token();
        assert_eq!(entries(&lock, here), UPDATE);
        let token = UpdateGuard::from_token(here, token).upgrade().into_token();
        assert_eq!(entries(&lock, here), EXCLUSIVE);
        *ExclusiveGuard::from_token(here, token) += 10;
        assert_eq!(entries(&lock, here), FREE);

        let token = mutex.lock(here).into_token();
        assert!(mutex.try_lock(here).is_none());
        *Guard::from_token(here, token) += 10;
        assert_eq!((*lock.shared(here), *mutex.lock(here)), (11, 12));
    });
}

/// From one attach to the next one.
#[tsrm::test(together)]
fn beyond_the_attach(tsrm: Runtime) {
    let lock = Arc::new(SuxLock::new(1));
    let token = tsrm.attach(|here| ExclusiveGuard::acquire(Arc::clone(&lock), here).into_token());
    assert!(tsrm.attach(|here| lock.try_shared(here).is_none()));
    tsrm.detach().unwrap();
    tsrm.attach(|here| {
        assert_eq!(entries(&*lock, here), EXCLUSIVE);
        *Guard::from_token(here, token) += 1;
        assert_eq!(*lock.shared(here), 2);
    });
}

#[tsrm::test(together)]
fn lost_ones_leave_it_locked(tsrm: Runtime) {
    let lock = SuxLock::new(1);
    let mutex = SrwMutex::new(1);
    let recursive = RecursiveSuxLock::new(1);
    let short = Duration::from_millis(1);
    tsrm.attach(|here| {
        drop(lock.shared(here).into_token());
        assert_eq!(entries(&lock, here), SHARED);
        drop(lock.update(here).into_token());
        assert_eq!(entries(&lock, here), UPDATE);
        assert!(lock.exclusive_timeout(here, short).is_none());
        assert!(lock.update_timeout(here, short).is_none());
        assert_eq!(*lock.shared(here), 1, "readers enter still");
        drop(mutex.lock(here).into_token());
        assert!(mutex.try_lock(here).is_none());
        assert!(mutex.lock_timeout(here, short).is_none());
        drop(recursive.exclusive(here).try_into_token().unwrap());
        assert_eq!(entries_recursive(&recursive, here), EXCLUSIVE);
        assert!(recursive.exclusive_timeout(here, short).is_none());
        assert!(recursive.shared_timeout(here, short).is_none());
    });
}

#[tsrm::test(together)]
fn of_a_recursive_lock(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        // Refused while there is another hold, whichever.
        let first = lock.update(here);
        let second = lock.update(here).try_into_token().unwrap_err();
        let first = first.try_into_token().unwrap_err();
        drop(second);
        let exclusive = lock.exclusive(here).try_into_token().unwrap_err();
        let first = first.try_into_token().unwrap_err();
        drop(first);
        // It has been upgraded, and is what it is.
        let token = exclusive.try_into_token().unwrap();
        assert_eq!(entries_recursive(&lock, here), EXCLUSIVE);
        let exclusive = Guard::from_token(here, token);
        let again = lock.exclusive(here);
        drop(exclusive);
        let token = again.try_into_token().unwrap();
        drop(Guard::from_token(here, token));
        // For update, a reader beside it; it can be upgraded by who received it.
        let token = lock.update(here).try_into_token().unwrap();
        assert_eq!(entries_recursive(&lock, here), UPDATE);
        let reader = lock.shared(here);
        let update = Guard::from_token(here, token);
        assert!(lock.try_exclusive(here).is_none());
        drop(reader);
        drop(lock.exclusive(here));
        let token = update.try_into_token().unwrap();
        assert_eq!(entries_recursive(&lock, here), UPDATE);
        drop(Guard::from_token(here, token));
        assert_eq!(entries_recursive(&lock, here), FREE);
    });
}

#[tsrm::test(together)]
fn several_of_one_lock_in_any_order(tsrm: Runtime) {
    let lock = SuxLock::new(1);
    tsrm.attach(|here| {
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let mut tokens = [(); 3].map(|()| Some(lock.shared(here).into_token()));
            for index in order {
                assert_eq!(entries(&lock, here), SHARED);
                drop(SharedGuard::from_token(here, tokens[index].take().unwrap()));
            }
            assert_eq!(entries(&lock, here), FREE);
        }
    });
}

/// Takes the lock on a thread of its own.
fn taken_there<M, L>(
    tsrm: Runtime,
    take: impl FnOnce(tsrm::Attached<'_>) -> Token<M, L> + Send,
) -> Token<M, L>
where
    L: LockRef<M>,
    Token<M, L>: Send,
{
    std::thread::scope(|scope| scope.spawn(move || tsrm.detach_after(|| tsrm.attach(take))).join())
        .unwrap()
}

/// The thread that locked is gone when this one unlocks.
#[tsrm::test(together)]
fn locked_there_and_unlocked_here(tsrm: Runtime) {
    let lock = SuxLock::new(vec![0; 3]);
    let mutex = SrwMutex::new(0);
    let recursive = RecursiveSuxLock::new(());
    let locked = taken_there(tsrm, |here| {
        let mut guard = lock.exclusive(here);
        guard[0] = 1;
        guard.into_token()
    });
    let counted = taken_there(tsrm, |here| {
        let mut guard = mutex.lock(here);
        *guard = 1;
        guard.into_token()
    });
    let owned: Token<Recursive<Exclusive>, _> =
        taken_there(tsrm, |here| recursive.exclusive(here).try_into_token().unwrap());
    tsrm.attach(|here| {
        assert_eq!(entries(&lock, here), EXCLUSIVE);
        let mut guard = ExclusiveGuard::from_token(here, locked);
        guard[1] = 2;
        assert_eq!(*guard, [1, 2, 0]);
        drop(guard);
        assert_eq!(entries(&lock, here), FREE);

        assert!(mutex.try_lock(here).is_none());
        assert_eq!(*Guard::from_token(here, counted), 1);
        assert!(mutex.try_lock(here).is_some());

        // Received, it is this thread's, which may take it again.
        assert_eq!(entries_recursive(&recursive, here), EXCLUSIVE);
        let guard = Guard::from_token(here, owned);
        drop(recursive.exclusive(here));
        drop(guard);
        assert_eq!(entries_recursive(&recursive, here), FREE);
    });
}

/// A hold that makes the round; whoever has it finds what those before have written.
#[cfg(feature = "zts")]
#[tsrm::test(together)]
fn from_hand_to_hand(tsrm: Runtime) {
    let lock = SuxLock::new(0_u32);
    let mut token = tsrm.attach(|here| lock.exclusive(here).into_token());
    for round in 0..100 {
        token = taken_there(tsrm, |here| {
            let mut guard = ExclusiveGuard::from_token(here, token);
            assert_eq!(*guard, round);
            *guard += 1;
            guard.into_token()
        });
    }
    // Who waits for the lock waits for the token.
    let sleeper = tsrm_locks::Sleeper::default();
    tsrm::thread::scope(|scope| {
        let waits = scope.spawn(|here| {
            sleeper.goes_to_sleep();
            *lock.shared(here)
        });
        sleeper.wait_until_asleep();
        tsrm.attach(|here| *ExclusiveGuard::from_token(here, token) += 1);
        assert_eq!(waits.join().unwrap(), 101);
    });
}
