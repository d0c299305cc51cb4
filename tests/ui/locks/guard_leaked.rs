//! ATTACK: a reference out of a guard that is leaked.
#![forbid(unsafe_code)]

use std::sync::Arc;

use tsrm::sync::{SharedGuard, SuxLock};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let page = Arc::new(SuxLock::new(0));
    tsrm.attach(|here| {
        let owner = SharedGuard::acquire(page, here);
        let _: &'static i32 = &**Box::leak(Box::new(owner));
    });
    let mut lock = SuxLock::new(0);
    tsrm.attach(|here| {
        let value: &i32 = Box::leak(Box::new(lock.shared(here)));
        *lock.get_mut() += value;
    });
}
