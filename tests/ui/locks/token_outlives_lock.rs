//! ATTACK: what was passed on, received when the lock is no more.
#![forbid(unsafe_code)]

use tsrm::sync::{ExclusiveGuard, SrwMutex};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let dropped = SrwMutex::new(1);
    let token = tsrm.attach(|here| dropped.lock(here).into_token());
    drop(dropped);
    tsrm.attach(|here| *ExclusiveGuard::from_token(here, token) += 1);

    let token = {
        let local = SrwMutex::new(2);
        tsrm.attach(|here| local.lock(here).into_token())
    };
    tsrm.attach(|here| *ExclusiveGuard::from_token(here, token) += 1);
}
