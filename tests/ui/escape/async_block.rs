//! ATTACK: the token in a future that is polled outside.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let future = tsrm.attach(|here| async move { COUNT.get(here).set(1) });
    drop(future);
}
