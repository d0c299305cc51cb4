//! ATTACK: a reference returned from a request.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let count = tsrm.request(|here| COUNT.get(here));
    count.set(1);
}
