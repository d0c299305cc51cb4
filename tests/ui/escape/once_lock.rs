//! ATTACK: the token in a `static`.
#![forbid(unsafe_code)]

use std::sync::OnceLock;

use tsrm::Attached;

static KEPT: OnceLock<Attached<'static>> = OnceLock::new();

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| drop(KEPT.set(here)));
}
