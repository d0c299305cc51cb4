//! Values of one name, of either kind.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static FIRST: u64 = const { 0 };

    #[shared]
    pub static FIRST: u64 = 0;

    #[shared]
    pub static SECOND: u64 = 0;

    #[global]
    pub static SECOND: u64 = const { 0 };

    #[shared]
    pub static THIRD: u64 = 0;

    #[shared(lazy)]
    pub static THIRD: u32 = 0;
}

fn main() {}
