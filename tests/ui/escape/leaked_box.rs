//! ATTACK: a leaked allocation, to make the token live for ever.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let kept: &'static Attached<'static> = Box::leak(Box::new(here));
        COUNT.get(*kept).set(1);
    });
}
