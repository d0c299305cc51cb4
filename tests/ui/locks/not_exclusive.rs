//! ATTACK: changing what is not held exclusively, or by who may have it twice.
#![forbid(unsafe_code)]

use std::sync::atomic::AtomicU32;

use guarded::{PAGES, TREE};

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        PAGES.get(here).shared(here).clear();
        PAGES.get(here).update(here).clear();
        *TREE.get(here).shared(here).get_mut() = 1;
        *TREE.get(here).update(here).get_mut() = 1;
        *TREE.get(here).exclusive(here) = AtomicU32::new(1);
    });
}
