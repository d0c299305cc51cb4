//! Statistics without a type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod client {
    #[statistics]
    pub static OTHER = tsrm::Statistics::new();
}

fn main() {}
