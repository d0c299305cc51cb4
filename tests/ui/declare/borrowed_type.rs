//! A type that borrows from nowhere: a global's type is `'static`.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static NAME: Cell<&'a str> = const { Cell::new("") };
}

fn main() {}
