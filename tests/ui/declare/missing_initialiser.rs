//! A global without an initialiser.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static COUNT: Cell<u64>;
}

fn main() {}
