//! ATTACK: a function that wants another thread's value for ever.
#![forbid(unsafe_code)]

use std::sync::atomic::AtomicU64;

use globals::TOTAL;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

fn keep(_thread: &tsrm::ThreadHandle, _total: &'static AtomicU64) {}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| TOTAL.for_each_thread(here, keep));
}
