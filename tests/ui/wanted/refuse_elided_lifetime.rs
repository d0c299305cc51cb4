//! An elided lifetime, which a plain `static` reads as `'static`. Now: four errors, one of them at
//! the macro.
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
