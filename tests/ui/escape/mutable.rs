//! ATTACK: a mutable reference to a value, of which there could be two.
#![forbid(unsafe_code)]

use globals::NAMES;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let names: &mut std::cell::RefCell<Vec<String>> = NAMES.get(here);
        names.get_mut().clear();
    });
}
