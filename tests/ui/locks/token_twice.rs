//! ATTACK: one hold received twice, and in another mode.
#![forbid(unsafe_code)]

use std::sync::Arc;

use tsrm::sync::{ExclusiveGuard, SharedGuard, SuxLock};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let page = Arc::new(SuxLock::new(0));
    tsrm.attach(|here| {
        let token = SharedGuard::acquire(page, here).into_token();
        let copy = token.clone();
        drop(SharedGuard::from_token(here, copy));
        drop(ExclusiveGuard::from_token(here, token));
    });
}
