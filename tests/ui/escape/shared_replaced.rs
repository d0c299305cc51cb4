//! ATTACK: a shared value replaced, by what only globals have.
#![forbid(unsafe_code)]

use globals::{LIMIT, TITLES};

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        LIMIT.set(here, 8);
        TITLES.take(here);
        LIMIT.for_each_thread(here, |_thread, _limit| ());
    });
}
