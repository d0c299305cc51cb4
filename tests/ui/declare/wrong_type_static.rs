//! The constant is of another type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static COUNT: Cell<u64> = const { Cell::new("zero") };
}

fn main() {}
