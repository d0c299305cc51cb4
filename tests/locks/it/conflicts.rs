//! What would wait for ever, for the thread that asks itself: in a single-threaded build all that waits, and
//! elsewhere what the detection of deadlocks finds. It panics, and nothing is different after that.

use tsrm::sync::{Guard, RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm::{Attached, Runtime};
use tsrm_locks::{panics, without_columns};

use crate::table::{EXCLUSIVE, Entries, FREE, SHARED, UPDATE, entries, entries_recursive};
use crate::together;

const S: &str = "shared";
const U: &str = "for update";
const X: &str = "exclusively";

/// How a lock was asked for or got, and in which line.
type How = (&'static str, u32);

const FOR_EVER: &str = "in a single-threaded build nobody would ever release it";

/// The message about a lock of this thread's.
fn conflict(here: Attached<'_>, wanted: How, held: How) -> String {
    if !cfg!(feature = "deadlock-detection") {
        return format!("a lock is wanted {} that is held {}: {FOR_EVER}", wanted.0, held.0);
    }
    let thread = here.thread();
    let me = format!("thread {} `{}`", thread.id(), thread.name().unwrap());
    let file = file!();
    format!(
        "deadlock:\n  {me} wants a lock {} at {file}:{}, which {me} has {} since {file}:{}",
        wanted.0, wanted.1, held.0, held.1
    )
}

#[track_caller]
fn refuses<R>(wish: impl FnOnce() -> R, expected: &str) {
    assert_eq!(without_columns(&panics(wish)), expected);
}

#[tsrm::test(together)]
fn with_what_it_has_itself(tsrm: Runtime) {
    let lock = SuxLock::new(());
    tsrm.attach(|here| {
        let is = |expected: Entries| assert_eq!(entries(&lock, here), expected);
        let (share, share_at) = (|| drop(lock.shared(here)), line!());
        let (update, update_at) = (|| drop(lock.update(here)), line!());
        let (write, write_at) = (|| drop(lock.exclusive(here)), line!());

        let (guard, since) = (lock.shared(here), line!());
        refuses(write, &conflict(here, (X, write_at), (S, since)));
        is(SHARED);
        drop(guard);

        let (guard, since) = (lock.update(here), line!());
        refuses(update, &conflict(here, (U, update_at), (U, since)));
        refuses(write, &conflict(here, (X, write_at), (U, since)));
        is(UPDATE);
        drop(guard);

        let (guard, since) = (lock.exclusive(here), line!());
        refuses(share, &conflict(here, (S, share_at), (X, since)));
        refuses(update, &conflict(here, (U, update_at), (X, since)));
        refuses(write, &conflict(here, (X, write_at), (X, since)));
        is(EXCLUSIVE);
        drop(guard);
        is(FREE);
    });
}

#[tsrm::test(together)]
fn an_upgrade_beside_its_own_reader(tsrm: Runtime) {
    let lock = SuxLock::new(());
    tsrm.attach(|here| {
        let (reader, since) = (lock.shared(here), line!());
        let update = lock.update(here);
        let (asks, at) = (|| update.upgrade(), line!());
        // It gave back what it had.
        refuses(asks, &conflict(here, (X, at), (S, since)));
        assert_eq!(entries(&lock, here), SHARED);
        drop(reader);
        assert_eq!(entries(&lock, here), FREE);
    });
}

/// Since when it is held is since when it is held in this mode.
#[tsrm::test(together)]
fn with_what_it_has_since_it_changed(tsrm: Runtime) {
    let lock = SuxLock::new(());
    tsrm.attach(|here| {
        let update = lock.update(here);
        let (exclusive, since) = (update.upgrade(), line!());
        let (asks, at) = (|| lock.shared(here), line!());
        refuses(asks, &conflict(here, (S, at), (X, since)));
        let (update, since) = (exclusive.downgrade_to_update(), line!());
        let (asks, at) = (|| lock.update(here), line!());
        refuses(asks, &conflict(here, (U, at), (U, since)));
        let (shared, since) = (update.downgrade(), line!());
        let (asks, at) = (|| lock.exclusive(here), line!());
        refuses(asks, &conflict(here, (X, at), (S, since)));
        let (update, since) = (shared.try_into_update().unwrap(), line!());
        let (asks, at) = (|| lock.exclusive(here), line!());
        refuses(asks, &conflict(here, (X, at), (U, since)));
        // A token is nobody's; who receives it has the lock since then.
        let token = update.into_token();
        let (update, since) = (Guard::from_token(here, token), line!());
        let (asks, at) = (|| lock.update(here), line!());
        refuses(asks, &conflict(here, (U, at), (U, since)));
        drop(update);
        assert_eq!(entries(&lock, here), FREE);
    });
}

#[tsrm::test(together)]
fn a_mutex(tsrm: Runtime) {
    let mutex = SrwMutex::new(());
    tsrm.attach(|here| {
        let (guard, since) = (mutex.lock(here), line!());
        let (asks, at) = (|| mutex.lock(here), line!());
        let plain = format!("a mutex is wanted that is held: {FOR_EVER}");
        let is_watched = cfg!(feature = "deadlock-detection");
        refuses(asks, &if is_watched { conflict(here, (X, at), (X, since)) } else { plain });
        assert!(mutex.try_lock(here).is_none());
        drop(guard);
        assert!(mutex.try_lock(here).is_some());
    });
}

#[tsrm::test(together)]
fn a_recursive_lock(tsrm: Runtime) {
    let lock = RecursiveSuxLock::new(());
    tsrm.attach(|here| {
        let (reader, since) = (lock.shared(here), line!());
        let (asks, at) = (|| lock.exclusive(here), line!());
        refuses(asks, &conflict(here, (X, at), (S, since)));
        let update = lock.update(here);
        let (asks, at) = (|| lock.exclusive(here), line!());
        refuses(asks, &conflict(here, (X, at), (S, since)));
        // It has kept what it had before.
        assert_eq!(entries_recursive(&lock, here), [true, true, false]);
        drop((reader, update));
        assert_eq!(entries_recursive(&lock, here), FREE);
        let (exclusive, since) = (lock.exclusive(here), line!());
        let (asks, at) = (|| lock.shared(here), line!());
        let plain =
            "a lock is wanted shared that this thread has exclusively: it would wait for itself";
        let is_watched = cfg!(feature = "deadlock-detection");
        let expected = conflict(here, (S, at), (X, since));
        refuses(asks, if is_watched { &expected } else { plain });
        drop(exclusive);
        assert_eq!(entries_recursive(&lock, here), FREE);
    });
}
