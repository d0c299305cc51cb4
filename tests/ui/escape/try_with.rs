//! ATTACK: a reference returned from `try_with`.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(_tsrm: tsrm::Runtime) {
    let count = COUNT.try_with(|count| count).unwrap();
    count.set(1);
}
