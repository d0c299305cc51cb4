//! A global outside of a module.
#![forbid(unsafe_code)]

use std::cell::Cell;

#[global]
static COUNT: Cell<u64> = const { Cell::new(0) };

fn main() {}
