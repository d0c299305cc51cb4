//! ATTACK: the token left in a `Cell` outside.
#![forbid(unsafe_code)]

use std::cell::Cell;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let out = Cell::new(None);
    tsrm.attach(|here| out.set(Some(here)));
    COUNT.get(out.get().unwrap()).set(1);
}
