//! One attribute twice, and a hook's beside it.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    #[tsrm::global]
    pub static COUNT: u64 = const { 0 };

    #[shared]
    #[shared(lazy)]
    pub static LATER: u64 = 0;

    #[shared]
    #[module_startup]
    pub static FILLED: u64 = 0;
}

fn main() {}
