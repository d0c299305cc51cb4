//! A public shared value of a private type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub static CACHE: Cache = Cache;

    struct Cache;
}

fn main() {}
