//! ATTACK: the token in a boxed closure that is called outside.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let later: Box<dyn Fn()> = tsrm.attach(|here| Box::new(move || COUNT.get(here).set(1)));
    later();
}
