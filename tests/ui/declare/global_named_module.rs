//! A global and an import that are called as what the macro adds.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static COUNT: Cell<u64> = const { Cell::new(0) };

    #[global]
    pub static MODULE: Cell<u64> = const { Cell::new(0) };
}

#[tsrm::module]
mod output {
    #[allow(unused_imports)]
    use super::executor::{COUNT, MODULE};
}

#[tsrm::main(executor, output)]
fn main(_tsrm: tsrm::Runtime) {}
