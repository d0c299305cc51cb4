//! The initialiser is of another type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::RefCell;

    #[global]
    pub static NAMES: RefCell<Vec<String>> = Vec::new();
}

fn main() {}
