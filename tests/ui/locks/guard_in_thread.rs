//! ATTACK: a guard moved to another thread.
#![forbid(unsafe_code)]

use std::thread;

use guarded::FREE;

#[allow(dead_code)]
#[path = "../guarded.rs"]
mod guarded;

#[tsrm::main(guarded)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let free = FREE.get(here).lock(here);
        thread::scope(|scope| {
            scope.spawn(move || drop(free));
        });
    });
}
