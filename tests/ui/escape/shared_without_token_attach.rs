//! ATTACK: a shared value with something else than the token.
#![forbid(unsafe_code)]

use globals::LIMIT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    println!("{}", LIMIT.get(tsrm));
    tsrm.attach(|here| println!("{}", LIMIT.get(&here)));
}
