//! ATTACK: a generic function of one lifetime, which the caller would choose.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

fn keep<'t>(tsrm: tsrm::Runtime) -> &'t std::cell::Cell<u64> {
    tsrm.attach(|here: Attached<'t>| COUNT.get(here))
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    keep(tsrm);
}
