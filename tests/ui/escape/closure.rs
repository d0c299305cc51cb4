//! ATTACK: the token in a closure that is called outside.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let later = tsrm.attach(|here| move || COUNT.get(here).set(1));
    later();
}
