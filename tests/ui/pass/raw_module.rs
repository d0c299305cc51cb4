//! A module with a raw name is called like its name.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod r#mod {}

fn main() {
    assert_eq!(r#mod::MODULE.name(), "mod");
}
