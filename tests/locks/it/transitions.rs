//! From one mode to another, without letting go.

use std::time::{Duration, Instant};

use tsrm::Runtime;
use tsrm::sync::SuxLock;
use tsrm::sync::raw::{RwLock, lock_api};

use crate::table::{EXCLUSIVE, FREE, SHARED, UPDATE, entries, entries_raw};
use crate::together;

#[tsrm::test(together)]
fn alone(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    tsrm.attach(|here| {
        let is = |expected| assert_eq!(entries(&lock, here), expected);
        let mut exclusive = lock.update(here).upgrade();
        is(EXCLUSIVE);
        *exclusive += 1;
        let update = exclusive.downgrade_to_update();
        is(UPDATE);
        assert_eq!(*update, 1);
        let shared = update.downgrade();
        is(SHARED);
        assert_eq!(*shared, 1);
        let update = shared.try_into_update().unwrap();
        is(UPDATE);
        let exclusive = update.try_upgrade().unwrap();
        is(EXCLUSIVE);
        let shared = exclusive.downgrade();
        is(SHARED);
        let exclusive = shared.try_into_update().unwrap().upgrade_timeout(Duration::ZERO).unwrap();
        is(EXCLUSIVE);
        let exclusive = exclusive.downgrade_to_update().upgrade_until(Instant::now()).unwrap();
        is(EXCLUSIVE);
        drop(exclusive);
        is(FREE);
    });
}

#[tsrm::test(together)]
fn beside_a_reader(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    tsrm.attach(|here| {
        let is = |expected| assert_eq!(entries(&lock, here), expected);
        let reader = lock.shared(here);
        let update = lock.shared(here).try_into_update().unwrap();
        is(UPDATE);
        // None of these changes anything: `is` has readers come and go.
        let update = update.try_upgrade().unwrap_err();
        is(UPDATE);
        let update = update.upgrade_timeout(Duration::ZERO).unwrap_err();
        is(UPDATE);
        let update = update.upgrade_timeout(Duration::from_millis(1)).unwrap_err();
        is(UPDATE);
        let update = update.upgrade_until(Instant::now()).unwrap_err();
        is(UPDATE);
        let update = update.upgrade_until(Instant::now() + Duration::from_millis(1)).unwrap_err();
        is(UPDATE);
        let late = lock.shared(here);
        drop(reader);
        let update = update.try_upgrade().unwrap_err();
        drop(late);
        let exclusive = update.try_upgrade().unwrap();
        is(EXCLUSIVE);
        // A reader again, beside which there are others.
        let shared = exclusive.downgrade();
        let other = lock.shared(here);
        let update = lock.update(here);
        is(UPDATE);
        let shared = shared.try_into_update().unwrap_err();
        is(UPDATE);
        let third = update.downgrade();
        is(SHARED);
        let update = shared.try_into_update().unwrap();
        is(UPDATE);
        drop((third, other));
        drop(update.upgrade());
        is(FREE);
    });
}

/// `lock_api`'s names: read, upgradable read, write.
#[tsrm::test(together)]
fn of_raw_locks(_tsrm: Runtime) {
    use lock_api::RwLockUpgradableReadGuard as Upgradable;
    use lock_api::RwLockWriteGuard as Write;

    let lock = RwLock::new(0);
    let is = |expected| assert_eq!(entries_raw(&lock), expected);
    let mut write = Upgradable::upgrade(lock.upgradable_read());
    is(EXCLUSIVE);
    *write += 1;
    let upgradable = Write::downgrade_to_upgradable(write);
    is(UPDATE);
    let read = Upgradable::downgrade(upgradable);
    is(SHARED);
    let upgradable = Upgradable::try_upgrade(lock.upgradable_read()).unwrap_err();
    is(UPDATE);
    let upgradable = Upgradable::try_upgrade_for(upgradable, Duration::ZERO).unwrap_err();
    is(UPDATE);
    let upgradable = Upgradable::try_upgrade_until(upgradable, Instant::now()).unwrap_err();
    is(UPDATE);
    let upgradable = Upgradable::try_upgrade_for(upgradable, Duration::from_millis(1)).unwrap_err();
    is(UPDATE);
    // SAFETY: what is done with it below goes with a guard that is there, or was leaked.
    let raw = unsafe { lock.raw() };
    // SAFETY: `read` is there; it stays what it is, since somebody has the lock for update.
    assert!(!unsafe { raw.try_shared_to_upgradable() });
    is(UPDATE);
    assert_eq!(*read, 1);
    drop(read);
    let write = Upgradable::try_upgrade(upgradable).unwrap();
    is(EXCLUSIVE);
    let read = Write::downgrade(write);
    is(SHARED);
    std::mem::forget(read);
    // SAFETY: the guard was leaked, so the lock is held shared.
    assert!(unsafe { raw.try_shared_to_upgradable() });
    is(UPDATE);
    // SAFETY: it is held for update since then.
    unsafe { lock_api::RawRwLockUpgrade::unlock_upgradable(raw) };
    is(FREE);
    let upgradable = lock.upgradable_read();
    drop(Upgradable::try_upgrade_for(upgradable, Duration::ZERO).unwrap());
    drop(Upgradable::try_upgrade_until(lock.upgradable_read(), Instant::now()).unwrap());
    is(FREE);
}
