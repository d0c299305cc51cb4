//! An asynchronous `main`.
#![forbid(unsafe_code)]

#[tsrm::main]
async fn main(_tsrm: tsrm::Runtime) {}
