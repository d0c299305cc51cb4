//! ATTACK: the token in another thread, which is not attached.
#![forbid(unsafe_code)]

use std::thread;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        thread::spawn(move || COUNT.get(here).set(1)).join().unwrap();
    });
}
