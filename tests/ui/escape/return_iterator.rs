//! ATTACK: a lazy iterator returned, which would look at the value outside.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let twice = tsrm.attach(|here| (0..2).map(move |_| COUNT.get(here).get()));
    assert_eq!(twice.sum::<u64>(), 0);
}
