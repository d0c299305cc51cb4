//! `#[tsrm::main]` on another function.
#![forbid(unsafe_code)]

#[tsrm::main]
fn start(_tsrm: tsrm::Runtime) {}

fn main() {}
