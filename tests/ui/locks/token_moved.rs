//! ATTACK: a guard that was passed on used again, and so its token.
#![forbid(unsafe_code)]

use tsrm::sync::{ExclusiveGuard, SrwMutex};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let free = SrwMutex::new(0);
    tsrm.attach(|here| {
        let mut guard = free.lock(here);
        let token = guard.into_token();
        *guard += 1;
        drop(ExclusiveGuard::from_token(here, token));
        drop(ExclusiveGuard::from_token(here, token));
    });
}
