//! ATTACK: a function that wants the token for ever.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

fn keep(here: Attached<'static>) -> &'static std::cell::Cell<u64> {
    COUNT.get(here)
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(keep);
}
