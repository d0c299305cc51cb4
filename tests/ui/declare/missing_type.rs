//! A global without a type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    #[global]
    pub static COUNT = const { Cell::new(0_u64) };
}

fn main() {}
