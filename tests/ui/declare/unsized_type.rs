//! The type has no size.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static TEXT: str = *"text";
}

fn main() {}
