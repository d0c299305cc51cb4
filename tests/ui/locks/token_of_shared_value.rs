//! ATTACK: a token with a reference to a shared value, beyond the attach.
#![forbid(unsafe_code)]

use guarded::FREE;
use tsrm::sync::ExclusiveGuard;

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    let token = tsrm.attach(|here| FREE.get(here).lock(here).into_token());
    tsrm.attach(|here| ExclusiveGuard::from_token(here, token).clear());
}
