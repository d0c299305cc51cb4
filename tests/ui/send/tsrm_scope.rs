//! ATTACK: the token in an attached scoped thread, whose own one is another.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        tsrm::thread::scope(|scope| {
            scope.spawn(move |_its_own| COUNT.get(here).set(1));
        });
    });
}
