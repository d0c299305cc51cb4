//! ATTACK: a shared value moved out, written to, and borrowed mutably.
#![forbid(unsafe_code)]

use globals::{LIMIT, TITLES};

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        drop(*TITLES.get(here));
        *LIMIT.get(here) += 1;
        TITLES.get(here).get_mut().unwrap().clear();
        LIMIT.with(|limit| *limit = 8);
    });
}
