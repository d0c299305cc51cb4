//! ATTACK: the guard of a borrow returned.
#![forbid(unsafe_code)]

use globals::NAMES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let names = tsrm.attach(|here| NAMES.get(here).borrow());
    drop(names);
}
