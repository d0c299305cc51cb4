//! ATTACK: a short-lived reference stored through a guard of a lock of long-lived ones.
#![forbid(unsafe_code)]

use tsrm::Attached;
use tsrm::sync::{ExclusiveGuard, SharedGuard, SrwMutex, SuxLock};

fn store<'v>(mut guard: ExclusiveGuard<'_, &SuxLock<&'static str>>, value: &'v str) {
    *guard = value;
}

fn shorten<'t, 'l, 'v>(
    guard: ExclusiveGuard<'t, &'l SrwMutex<&'static str>>,
) -> ExclusiveGuard<'t, &'l SrwMutex<&'v str>> {
    guard
}

fn shorten_shared<'t, 'l, 'v>(
    guard: SharedGuard<'t, &'l SuxLock<&'static str>>,
) -> SharedGuard<'t, &'l SuxLock<&'v str>> {
    guard
}

fn lengthen<'t, 'l, 'v>(
    guard: SharedGuard<'t, &'l SuxLock<&'v str>>,
) -> SharedGuard<'t, &'l SuxLock<&'static str>> {
    guard
}

fn lengthen_hold<'t>(
    lock: &SrwMutex<u8>,
    here: Attached<'t>,
) -> ExclusiveGuard<'t, &'t SrwMutex<u8>> {
    lock.lock(here)
}

fn lengthen_attach<'l>(
    lock: &'l SrwMutex<u8>,
    here: Attached<'_>,
) -> ExclusiveGuard<'l, &'l SrwMutex<u8>> {
    lock.lock(here)
}

fn main() {
    let _ = (store, shorten, shorten_shared, lengthen, lengthen_hold, lengthen_attach);
}
