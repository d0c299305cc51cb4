//! ATTACK: a reference to a value that is `Sync`, in a thread that outlives the attach.
#![forbid(unsafe_code)]

use std::sync::atomic::Ordering;
use std::thread;

use globals::TOTAL;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    thread::scope(|scope| {
        tsrm.attach(|here| {
            let total = TOTAL.get(here);
            scope.spawn(move || total.store(1, Ordering::Relaxed));
        });
    });
}
