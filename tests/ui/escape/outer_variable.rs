//! ATTACK: the token left in a variable outside.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let mut out = None;
    tsrm.attach(|here| out = Some(here));
    COUNT.get(out.unwrap()).set(1);
}
