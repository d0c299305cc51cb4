//! ATTACK: a reference to a value that is `Sync`, in a thread of its own.
#![forbid(unsafe_code)]

use std::sync::atomic::Ordering;
use std::thread;

use globals::TOTAL;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let total = TOTAL.get(here);
        thread::spawn(move || total.store(1, Ordering::Relaxed));
    });
}
