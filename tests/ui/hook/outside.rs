//! A hook outside of a module.
#![forbid(unsafe_code)]

#[thread_shutdown]
fn dies(_here: tsrm::Attached<'_>) {}

fn main() {}
