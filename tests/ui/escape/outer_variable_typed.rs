//! ATTACK: the same, with the type written out.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let mut out: Option<Attached<'_>> = None;
    tsrm.attach(|here: Attached<'_>| {
        out = Some(here);
    });
    COUNT.get(out.unwrap()).set(1);
}
