//! ATTACK: an asynchronous closure, whose future holds the token.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let future = tsrm.attach(async |here| COUNT.get(here).set(1));
    drop(future);
}
