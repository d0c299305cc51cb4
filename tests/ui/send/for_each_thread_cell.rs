//! ATTACK: other threads' values of a type that is not `Sync`.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| COUNT.for_each_thread(here, |_thread, count| count.set(1)));
}
