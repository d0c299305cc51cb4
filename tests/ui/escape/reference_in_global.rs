//! ATTACK: a reference to one global in another one.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::module]
mod keeper {
    use std::cell::{Cell, RefCell};

    #[global]
    pub static KEPT: RefCell<Option<&'static Cell<u64>>> = const { RefCell::new(None) };
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| *keeper::KEPT.get(here).borrow_mut() = Some(COUNT.get(here)));
}
