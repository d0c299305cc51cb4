//! A module that is documented inside, and allows lints inside.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

#[tsrm::module]
pub mod executor {
    //! Documented inside.
    #![allow(dead_code)]

    use std::cell::Cell;

    #[global]
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

#[tsrm::main(executor)]
fn main(_tsrm: tsrm::Runtime) {}
