//! A mutable shared value.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub static mut COUNT: u64 = 0;
}

fn main() {}
