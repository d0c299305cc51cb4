//! A shared value without a type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub(crate) static COUNT = 0_u64;
}

fn main() {}
