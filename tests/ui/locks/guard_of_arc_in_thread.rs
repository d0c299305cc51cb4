//! ATTACK: a guard that owns what it needs, moved to another thread.
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::thread;

use tsrm::sync::{SharedGuard, SuxLock};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let page = Arc::new(SuxLock::new(0));
    tsrm.attach(|here| {
        let page = SharedGuard::acquire(page, here);
        thread::spawn(move || drop(page));
    });
}
