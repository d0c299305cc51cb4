//! A list of modules in which one is none.
#![forbid(unsafe_code)]

mod executor {}

#[tsrm::main(executor)]
fn main(_tsrm: tsrm::Runtime) {}
