//! ATTACK: a token made by hand.
#![forbid(unsafe_code)]

use tsrm::Attached;

#[tsrm::main]
fn main(_tsrm: tsrm::Runtime) {
    let _here = Attached {};
    let _here = Attached { _proof: std::marker::PhantomData };
}
