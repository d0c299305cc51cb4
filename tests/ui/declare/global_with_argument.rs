//! `#[global]` takes no arguments.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global(lazy)]
    pub static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn main() {}
