//! ATTACK: a reference left in a variable outside of `with`.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(_tsrm: tsrm::Runtime) {
    let mut out = None;
    COUNT.with(|count| out = Some(count));
    out.unwrap().set(1);
}
