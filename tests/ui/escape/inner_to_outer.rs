//! ATTACK: a reference of an inner attach kept in the outer one.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|_outer| {
        let mut count = None;
        tsrm.attach(|inner| count = Some(COUNT.get(inner)));
        count.unwrap().set(1);
    });
}
