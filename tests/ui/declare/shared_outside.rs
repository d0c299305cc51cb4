//! A shared value outside of a module.
#![forbid(unsafe_code)]

use std::sync::Mutex;

#[shared]
static COUNT: Mutex<u64> = Mutex::new(0);

fn main() {}
