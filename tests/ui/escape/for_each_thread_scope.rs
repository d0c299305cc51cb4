//! ATTACK: another thread's value in a thread that outlives its pin.
#![forbid(unsafe_code)]

use std::sync::atomic::Ordering;

use globals::TOTAL;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        tsrm::thread::scope(|scope| {
            TOTAL.for_each_thread(here, |_thread, total| {
                scope.spawn(move |_here| total.store(1, Ordering::Relaxed));
            });
        });
    });
}
