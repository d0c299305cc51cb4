//! An elided lifetime, which a plain `static` reads as `'static`. A global's type is
//! pasted where nothing is elided.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static NAME: Cell<&str> = const { Cell::new("") };

    #[global]
    pub static TITLES: Vec<std::slice::Iter<'_, &str>> = Vec::new();

    #[global]
    pub static FINE: Option<(fn(&str) -> &str, Box<dyn Fn(&u8)>)> = None;
}

fn main() {}
