//! The attribute on a module in another file, of which it would see nothing.
#![forbid(unsafe_code)]

#[tsrm::module]
#[path = "../globals.rs"]
mod executor;

fn main() {}
