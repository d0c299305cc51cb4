//! A name that is no string.
#![forbid(unsafe_code)]

#[tsrm::module(name = executor)]
mod executor {}

fn main() {}
