//! ATTACK: a cell that all threads share.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[shared]
    pub static COUNT: Cell<u64> = Cell::new(0);
}

fn main() {}
