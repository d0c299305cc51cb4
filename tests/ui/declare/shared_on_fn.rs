//! Shared values that are no `static`s.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub fn count() -> u64 {
        0
    }

    #[tsrm::shared(lazy)]
    pub const COUNT: u64 = 0;

    #[shared]
    pub struct Count;
}

fn main() {
    executor::count();
}
