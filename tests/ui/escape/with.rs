//! ATTACK: a reference returned from `with`.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(_tsrm: tsrm::Runtime) {
    let count = COUNT.with(|count| count);
    count.set(1);
}
