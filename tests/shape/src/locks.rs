//! Locks that nobody else has.

use std::hint::black_box;

use tsrm::Attached;
use tsrm::sync::raw::{Mutex, RwLock, lock_api};
use tsrm::sync::{SrwMutex, SuxLock};

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_lock_mutex(here: Attached<'_>, mutex: &SrwMutex<u64>) {
    *mutex.lock(here) += 1;
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_lock_shared(here: Attached<'_>, lock: &SuxLock<u64>) -> u64 {
    *lock.shared(here)
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_lock_update(here: Attached<'_>, lock: &SuxLock<u64>) -> u64 {
    *lock.update(here)
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_lock_exclusive(here: Attached<'_>, lock: &SuxLock<u64>) {
    *lock.exclusive(here) += 1;
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_lock_upgrade(here: Attached<'_>, lock: &SuxLock<u64>) -> u64 {
    let mut exclusive = lock.update(here).upgrade();
    *exclusive += 1;
    *exclusive.downgrade_to_update()
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_raw_mutex(mutex: &Mutex<u64>) {
    *mutex.lock() += 1;
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_raw_shared(lock: &RwLock<u64>) -> u64 {
    *lock.read()
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_raw_update(lock: &RwLock<u64>) -> u64 {
    *lock.upgradable_read()
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_raw_exclusive(lock: &RwLock<u64>) {
    *lock.write() += 1;
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_raw_upgrade(lock: &RwLock<u64>) -> u64 {
    use lock_api::{RwLockUpgradableReadGuard as Upgradable, RwLockWriteGuard as Write};
    let mut write = Upgradable::upgrade(lock.upgradable_read());
    *write += 1;
    *Write::downgrade_to_upgradable(write)
}

pub(crate) fn call(here: Attached<'_>) {
    let (mutex, lock) = (black_box(SrwMutex::new(0)), black_box(SuxLock::new(0)));
    let (raw_mutex, raw) = (black_box(Mutex::new(0)), black_box(RwLock::new(0)));
    shape_lock_mutex(here, &mutex);
    shape_lock_exclusive(here, &lock);
    shape_raw_mutex(&raw_mutex);
    shape_raw_exclusive(&raw);
    let read = [
        shape_lock_shared(here, &lock),
        shape_lock_update(here, &lock),
        shape_lock_upgrade(here, &lock),
        shape_raw_shared(&raw),
        shape_raw_update(&raw),
        shape_raw_upgrade(&raw),
        mutex.into_inner(),
        raw_mutex.into_inner(),
    ];
    println!("{read:?}");
}
