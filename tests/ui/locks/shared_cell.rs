//! ATTACK: a cell that several threads would have shared.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    use tsrm::sync::{RecursiveSuxLock, SuxLock};

    #[shared]
    pub static COUNT: SuxLock<Cell<u64>> = SuxLock::new(Cell::new(0));

    #[shared]
    pub static AGAIN: RecursiveSuxLock<Cell<u64>> = RecursiveSuxLock::new(Cell::new(0));
}

fn main() {}
