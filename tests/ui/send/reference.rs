//! ATTACK: a reference to a value that is not `Sync` in another thread.
#![forbid(unsafe_code)]

use std::thread;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let count = COUNT.get(here);
        thread::scope(|scope| {
            scope.spawn(|| count.set(1));
        });
    });
}
