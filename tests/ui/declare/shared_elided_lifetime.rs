//! An elided lifetime in the type of a shared value.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::Mutex;

    #[shared]
    pub static NAME: Mutex<&str> = Mutex::new("");

    #[shared(lazy)]
    pub static TITLES: Vec<std::slice::Iter<'_, u8>> = Vec::new();

    #[shared]
    pub static FINE: Option<fn(&str) -> &str> = None;
}

fn main() {}
