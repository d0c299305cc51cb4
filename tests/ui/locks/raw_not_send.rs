//! ATTACK: raw locks, which need no token, of values that stay on their thread.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::rc::Rc;

use tsrm::sync::raw::{Mutex, RwLock};

static COUNT: RwLock<Cell<u64>> = RwLock::new(Cell::new(0));

fn send(_: impl Send) {}

fn main() {
    let name = Mutex::new(Rc::new(1));
    send(name.lock());
    send(RwLock::new(Cell::new(1)).upgradable_read());
    COUNT.read().set(1);
}
