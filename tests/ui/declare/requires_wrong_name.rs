//! Names that no module has.
#![forbid(unsafe_code)]

#[tsrm::module(requires = ["", "zend.output"])]
mod executor {}

fn main() {}
