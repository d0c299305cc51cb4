//! The type does not exist.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub static CACHE: Cache = Cache::new();
}

fn main() {}
