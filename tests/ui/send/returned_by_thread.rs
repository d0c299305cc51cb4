//! ATTACK: a token of another thread, as its result.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let theirs: Attached<'_> =
            tsrm::thread::scope(|scope| scope.spawn(|theirs| theirs).join().unwrap());
        assert_eq!(COUNT.get(theirs).get(), COUNT.get(here).get());
    });
}
