//! A module in the module has to be one itself.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    mod inner {
        use std::cell::Cell;

        #[global]
        pub static COUNT: Cell<u64> = const { Cell::new(0) };
    }
}

fn main() {}
