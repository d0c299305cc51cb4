//! A `main` and a test that take something else than the runtime.
#![forbid(unsafe_code)]

#[tsrm::main]
fn main(_arguments: Vec<String>) {}

#[tsrm::test]
fn test(_here: &tsrm::Attached<'_>) {}
