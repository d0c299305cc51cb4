//! ATTACK: a reference to a shared value left in a variable outside.
#![forbid(unsafe_code)]

use globals::TITLES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let mut out = None;
    tsrm.attach(|here| out = Some(TITLES.get(here)));
    out.unwrap().lock().unwrap().clear();
}
