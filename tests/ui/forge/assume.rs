//! ATTACK: a token from the constructor that the crate itself uses. It is
//! not to be had with `unsafe` either.

use tsrm::Attached;

#[tsrm::main]
fn main(_tsrm: tsrm::Runtime) {
    let _here = unsafe { Attached::assume() };
}
