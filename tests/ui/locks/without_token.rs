//! ATTACK: acquiring without the token.
#![forbid(unsafe_code)]

use guarded::{FREE, PAGES, TREE};
use tsrm::sync::{ExclusiveGuard, SharedGuard};

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        FREE.get(here).lock().clear();
        let _ = FREE.get(here).try_lock();
        let _ = PAGES.get(here).shared();
        let _ = PAGES.get(here).try_update();
        let _ = PAGES.get(here).exclusive(tsrm);
        let _ = TREE.get(here).try_exclusive();
        let _ = ExclusiveGuard::acquire(FREE.get(here));
        let _ = SharedGuard::try_acquire(PAGES.get(here), tsrm);
    });
}
