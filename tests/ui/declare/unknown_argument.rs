//! An argument that does not exist.
#![forbid(unsafe_code)]

#[tsrm::module(requires = ["output"])]
mod executor {}

fn main() {}
