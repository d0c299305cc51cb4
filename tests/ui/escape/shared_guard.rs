//! ATTACK: the guard of a shared lock returned.
#![forbid(unsafe_code)]

use globals::TITLES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let mut titles = tsrm.attach(|here| TITLES.get(here).lock().unwrap());
    titles.clear();
}
