//! ATTACK: the token returned from a request.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let here = tsrm.request(|here| here);
    COUNT.get(here).set(1);
}
