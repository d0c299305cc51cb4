//! The type does not exist.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static COUNT: Counter = const { Counter::new() };
}

fn main() {}
