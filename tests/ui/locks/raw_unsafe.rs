//! ATTACK: a raw lock released by who does not hold it.
#![forbid(unsafe_code)]

use tsrm::sync::raw::lock_api::{RawMutex, RawRwLock, RawRwLockUpgrade};
use tsrm::sync::raw::{RawSrwMutex, RawSuxLock};

fn main() {
    let mutex = RawSrwMutex::INIT;
    mutex.unlock();
    let lock = RawSuxLock::INIT;
    lock.unlock_shared();
    lock.upgrade();
    lock.try_shared_to_upgradable();
}
