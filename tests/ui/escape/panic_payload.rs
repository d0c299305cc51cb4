//! ATTACK: the token thrown out of the closure.
#![forbid(unsafe_code)]

use std::panic::{catch_unwind, panic_any};

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let thrown = catch_unwind(|| tsrm.attach(|here| panic_any(here)));
    drop(thrown);
}
