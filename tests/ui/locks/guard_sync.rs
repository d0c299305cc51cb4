//! ATTACK: a guard shared with a thread that may not see its value.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

use tsrm::sync::{ExclusiveGuard, SrwMutex};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let count = SrwMutex::new(Cell::new(1));
    let name = Arc::new(SrwMutex::new(Cell::new("name")));
    tsrm.attach(|here| {
        let borrowed = count.lock(here);
        thread::scope(|scope| {
            scope.spawn(|| borrowed.set(2));
        });
        let owned = ExclusiveGuard::acquire(name, here);
        thread::scope(|scope| {
            scope.spawn(|| owned.take());
        });
    });
}
