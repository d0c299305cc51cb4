//! A name in which a setting could not be told from the module.
#![forbid(unsafe_code)]

#[tsrm::module(name = "a\0b")]
mod executor {}

fn main() {}
