//! A recursive hold passed on as if it were the only one.
#![forbid(unsafe_code)]

use guarded::TREE;

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let _ = TREE.get(here).update(here).into_token();
        let _ = TREE.get(here).exclusive(here).into_token();
        let _ = TREE.get(here).shared(here).try_into_token();
    });
}
