//! ATTACK: the same from `try_get`, and from a lazy value.
#![forbid(unsafe_code)]

use globals::LIMIT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let limit: &u64 = tsrm.attach(|here| LIMIT.try_get(here).unwrap());
    println!("{limit}");
}
