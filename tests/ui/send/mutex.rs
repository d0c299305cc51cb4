//! ATTACK: the token in a lock that other threads can reach.
#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::thread;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let shared = Mutex::new(here);
        thread::scope(|scope| {
            scope.spawn(|| COUNT.get(*shared.lock().unwrap()).set(1));
        });
    });
}
