//! ATTACK: a token from the traits that make values.
#![forbid(unsafe_code)]

use tsrm::Attached;

#[tsrm::main]
fn main(_tsrm: tsrm::Runtime) {
    let _here: Attached<'_> = Default::default();
    let _here: Attached<'_> = ().into();
}
