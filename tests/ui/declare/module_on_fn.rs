//! The attribute on something that is no module.
#![forbid(unsafe_code)]

#[tsrm::module]
fn executor() {}

#[tsrm::module]
struct Model {
    r#mod: u8,
}

fn main() {}
