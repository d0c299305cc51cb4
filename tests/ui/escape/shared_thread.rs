//! ATTACK: a reference to a shared value in a thread that outlives the attach.
#![forbid(unsafe_code)]

use std::thread;

use globals::TITLES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let titles = TITLES.get(here);
        thread::spawn(|| titles.lock().unwrap().clear());
    });
}
