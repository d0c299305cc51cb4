//! ATTACK: the token returned from the calls that return errors.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let here = tsrm.try_attach(|here| here).unwrap();
    COUNT.get(here).set(1);
    let here = tsrm.try_request(|here| here).unwrap();
    COUNT.get(here).set(1);
}
