//! ATTACK: the guard of a raw lock shared with a thread that may not see its value.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::thread;

use tsrm::sync::raw::Mutex;

fn main() {
    let count = Mutex::new(Cell::new(1));
    let guard = count.lock();
    thread::scope(|scope| {
        scope.spawn(|| guard.set(2));
    });
}
