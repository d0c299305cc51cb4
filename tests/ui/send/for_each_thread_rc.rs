//! ATTACK: other threads' reference counts.
#![forbid(unsafe_code)]

use globals::SHARED;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| SHARED.for_each_thread(here, |_thread, shared| drop(shared.clone())));
}
