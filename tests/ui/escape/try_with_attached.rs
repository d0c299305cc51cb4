//! ATTACK: a reference returned from `try_with_attached`.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let count = tsrm.attach(|_here| COUNT.try_with_attached(|count| count)).unwrap();
    count.set(1);
}
