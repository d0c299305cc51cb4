//! ATTACK: a mutable reference to a shared value, of which there could be two.
#![forbid(unsafe_code)]

use globals::TITLES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let titles: &mut std::sync::Mutex<Vec<String>> = TITLES.get(here);
        titles.get_mut().unwrap().clear();
    });
}
