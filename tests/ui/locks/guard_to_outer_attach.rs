//! ATTACK: a guard of an inner attach kept in the outer one.
#![forbid(unsafe_code)]

use tsrm::sync::SrwMutex;

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let free = SrwMutex::new(0);
    tsrm.attach(|here| {
        let mut kept = None;
        tsrm.attach(|inner| kept = free.try_lock(inner));
        drop(kept);
        drop(free.lock(here));
    });
}
