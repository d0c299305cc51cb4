//! Globals that are types.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub type Count = u64;

    #[tsrm::global]
    pub trait Counts {}

    #[global]
    impl Counts for u64 {}

    #[global]
    pub union Either {
        left: u8,
        right: u8,
    }
}

fn main() {}
