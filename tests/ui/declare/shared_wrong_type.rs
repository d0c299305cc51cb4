//! The initialiser of a shared value is of another type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::RwLock;

    #[shared]
    pub static NAMES: RwLock<Vec<String>> = Vec::new();

    #[shared(lazy)]
    pub static COUNT: u64 = const { "zero" };
}

fn main() {}
