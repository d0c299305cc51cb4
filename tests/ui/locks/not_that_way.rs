//! Transitions that there are none of.
#![forbid(unsafe_code)]

use guarded::{FREE, PAGES, TREE};

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let _ = PAGES.get(here).shared(here).upgrade();
        let _ = PAGES.get(here).shared(here).downgrade();
        let _ = PAGES.get(here).update(here).try_into_update();
        let _ = PAGES.get(here).exclusive(here).try_upgrade();
        let _ = FREE.get(here).lock(here).downgrade();
        let _ = TREE.get(here).shared(here).try_into_update();
        let _ = TREE.get(here).update(here).upgrade();
        let _ = TREE.get(here).exclusive(here).downgrade_to_update();
    });
}
