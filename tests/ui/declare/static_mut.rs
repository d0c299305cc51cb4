//! A mutable global: it would be aliased.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static mut COUNT: u64 = const { 0 };
}

fn main() {}
