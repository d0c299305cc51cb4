//! ATTACK: the token sent to where it outlives its closure.
#![forbid(unsafe_code)]

use std::sync::mpsc;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let (sender, receiver) = mpsc::channel();
    tsrm.attach(|here| sender.send(here).unwrap());
    COUNT.get(receiver.recv().unwrap()).set(1);
}
