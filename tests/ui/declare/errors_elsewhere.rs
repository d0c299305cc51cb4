//! One mistake in a module: what its users see.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static mut COUNT: Cell<u64> = const { Cell::new(0) };

    pub fn reset() {}
}

use executor::{COUNT, reset};

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    reset();
    tsrm.attach(|here| COUNT.set(here, 1));
}
