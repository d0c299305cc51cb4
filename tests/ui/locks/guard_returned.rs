//! ATTACK: a guard returned from the attach.
#![forbid(unsafe_code)]

use std::sync::Arc;

use tsrm::sync::{ExclusiveGuard, SuxLock};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let page = Arc::new(SuxLock::new(0));
    let borrowed = tsrm.attach(|here| page.shared(here));
    let owned = tsrm.attach(|here| ExclusiveGuard::acquire(Arc::clone(&page), here));
    println!("{borrowed} {owned}");
}
