//! A global that is a function.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub fn count() -> u64 {
        0
    }
}

fn main() {}
