//! ATTACK: a cell that all threads borrow from.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::RefCell;

    #[shared]
    pub static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());
}

fn main() {}
