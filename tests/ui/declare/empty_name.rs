//! An empty name.
#![forbid(unsafe_code)]

#[tsrm::module(name = "")]
mod executor {}

fn main() {}
