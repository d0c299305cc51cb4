//! ATTACK: a reference to a shared value returned, which may be dropped when its module is retired.
#![forbid(unsafe_code)]

use globals::TITLES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let titles = tsrm.attach(|here| TITLES.get(here));
    titles.lock().unwrap().clear();
}
