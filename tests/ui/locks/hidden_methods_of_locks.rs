//! ATTACK: what guards call, called on the locks themselves.
#![forbid(unsafe_code)]

use tsrm::Attached;
use tsrm::sync::{LockRef, SrwMutex, SuxLock};

fn call<M, L: LockRef<M>>(lock: L, here: Attached<'_>) {
    lock.release();
    (*lock).pass();
    (*lock).receive(here);
}

fn main() {
    SuxLock::new(0).release();
    SrwMutex::new(0).pass();
}
