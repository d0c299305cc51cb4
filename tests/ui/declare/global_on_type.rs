//! A global that is a type alias.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub type Count = u64;
}

fn main() {}
