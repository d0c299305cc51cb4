//! ATTACK: the lifetime hidden in an opaque type that says it captures nothing.
#![forbid(unsafe_code)]

use tsrm::Attached;

fn hide(here: Attached<'_>) -> impl Sized + use<> {
    here
}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let hidden = tsrm.attach(|here| hide(here));
    drop(hidden);
}
