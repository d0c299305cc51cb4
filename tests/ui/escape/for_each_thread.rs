//! ATTACK: another thread's value kept after its pin is gone.
#![forbid(unsafe_code)]

use globals::TOTAL;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let mut all = Vec::new();
        TOTAL.for_each_thread(here, |_thread, total| all.push(total));
        drop(all);
    });
}
