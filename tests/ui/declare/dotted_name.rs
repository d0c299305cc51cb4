//! A name in which a setting could not be told from the module.
#![forbid(unsafe_code)]

#[tsrm::module(name = "zend.executor")]
mod executor {}

fn main() {}
