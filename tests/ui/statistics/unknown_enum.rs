//! The enum does not exist.
#![forbid(unsafe_code)]

#[tsrm::module]
mod client {
    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

fn main() {}
