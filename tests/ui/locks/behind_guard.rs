//! ATTACK: a reference that outlives its guard, and two at once.
#![forbid(unsafe_code)]

use tsrm::Attached;
use tsrm::sync::{SrwMutex, SuxLock};

#[tsrm::module]
mod executor {}

fn returned<'l>(names: &'l SrwMutex<Vec<String>>, here: Attached<'l>) -> &'l str {
    &names.lock(here)[0]
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let page = SuxLock::new(0);
    tsrm.attach(|here| {
        let shared = page.shared(here);
        let value = &*shared;
        drop(shared);
        println!("{value}");

        let mut exclusive = page.exclusive(here);
        let one = &mut *exclusive;
        let other = &*exclusive;
        *one = *other;
    });
    let _ = returned;
}
