//! ATTACK: the token sent to another thread that waits for it.
#![forbid(unsafe_code)]

use std::sync::mpsc;
use std::thread;

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let here: Attached<'_> = receiver.recv().unwrap();
            COUNT.get(here).set(1);
        });
        tsrm.attach(|here| sender.send(here).unwrap());
    });
}
