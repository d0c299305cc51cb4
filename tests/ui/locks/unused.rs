//! A guard that is not kept, and a token.
#![forbid(unsafe_code)]
#![deny(unused_must_use)]

use guarded::{FREE, PAGES, TREE};

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        FREE.get(here).lock(here);
        PAGES.get(here).try_shared(here);
        PAGES.get(here).update(here).upgrade();
        PAGES.get(here).exclusive(here).into_token();
        TREE.get(here).update(here);
    });
}
