//! A global that is called as what the macro adds.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static MODULE: Cell<u64> = const { Cell::new(0) };
}

fn main() {}
