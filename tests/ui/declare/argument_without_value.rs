//! Arguments without what they are.
#![forbid(unsafe_code)]

#[tsrm::module(requires("output"))]
mod executor {}

#[tsrm::module(requires)]
mod scanner {}

#[tsrm::module(requires["output"])]
mod parser {}

#[tsrm::module(name("other"))]
mod compiler {}

fn main() {}
