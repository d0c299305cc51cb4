//! ATTACK: what was passed on, received without the token.
#![forbid(unsafe_code)]

use guarded::FREE;
use tsrm::sync::ExclusiveGuard;

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let token = FREE.get(here).lock(here).into_token();
        ExclusiveGuard::from_token(token);
        ExclusiveGuard::from_token(tsrm, token);
    });
}
