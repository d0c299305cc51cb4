//! ATTACK: a closure that wants the token for ever.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let count = tsrm.attach(|here: Attached<'static>| COUNT.get(here));
    count.set(1);
}
