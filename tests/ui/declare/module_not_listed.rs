//! A list of modules in which one is none, and one does not exist.
#![forbid(unsafe_code)]

mod executor {}

#[tsrm::main(executor, crate::output)]
fn main(_tsrm: tsrm::Runtime) {}
