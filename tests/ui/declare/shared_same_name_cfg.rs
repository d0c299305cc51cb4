//! Two shared values of one name, both left by their `cfg`s.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    #[cfg(all())]
    pub static COUNT: u64 = 0;

    #[global]
    #[cfg(not(any()))]
    pub static COUNT: u64 = const { 0 };
}

fn main() {}
