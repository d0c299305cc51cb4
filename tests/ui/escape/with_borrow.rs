//! ATTACK: a reference returned from `with_borrow`, after which the value may change.
#![forbid(unsafe_code)]

use globals::NAMES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let first = NAMES.with_borrow(here, |names| &names[0]);
        NAMES.with_borrow_mut(here, |names| names.clear());
        println!("{first}");
    });
}
