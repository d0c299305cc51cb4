//! ATTACK: the token borrowed by a scoped thread.
#![forbid(unsafe_code)]

use std::thread;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        thread::scope(|scope| {
            scope.spawn(|| COUNT.get(here).set(1));
        });
    });
}
