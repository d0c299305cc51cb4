//! A `main` that wants to be attached: it would be for ever.
#![forbid(unsafe_code)]

#[tsrm::main]
fn main(_here: tsrm::Attached<'_>) {}
