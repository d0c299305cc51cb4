//! Modes that a lock does not have; a reference to what refers to a lock.
#![forbid(unsafe_code)]

use std::sync::Arc;

use tsrm::sync::{ExclusiveGuard, RecursiveSuxLock, SharedGuard, SrwMutex, SuxLock, UpdateGuard};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let free = SrwMutex::new(0);
    let tree = RecursiveSuxLock::new(0);
    let page = Arc::new(SuxLock::new(0));
    tsrm.attach(|here| {
        let _ = SharedGuard::acquire(&free, here);
        let _ = UpdateGuard::acquire(&tree, here);
        let _ = ExclusiveGuard::acquire(&page, here);
        let _ = ExclusiveGuard::acquire(free, here);
    });
}
