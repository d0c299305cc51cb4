//! An elided lifetime: a plain `static` would read it as `'static`.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static NAME: Cell<&str> = const { Cell::new("") };

    #[global]
    pub static TITLE: Cell<&str> = Cell::new("");
}

fn main() {}
