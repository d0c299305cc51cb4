//! ATTACK: the token in a `thread_local!`.
#![forbid(unsafe_code)]

use std::cell::Cell;

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

thread_local! {
    static KEPT: Cell<Option<Attached<'static>>> = const { Cell::new(None) };
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| KEPT.set(Some(here)));
    COUNT.get(KEPT.get().unwrap()).set(1);
}
