//! ATTACK: the token returned.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let here = tsrm.attach(|here| here);
    COUNT.get(here).set(1);
}
