//! A `main` that does not take the runtime.
#![forbid(unsafe_code)]

#[tsrm::main]
fn main() {}
