//! Two globals of one name.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static COUNT: Cell<u64> = const { Cell::new(0) };

    #[global]
    pub static COUNT: Cell<u32> = const { Cell::new(0) };
}

fn main() {}
