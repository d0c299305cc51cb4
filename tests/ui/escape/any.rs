//! ATTACK: the token as `dyn Any`.
#![forbid(unsafe_code)]

use std::any::Any;

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let any: Box<dyn Any> = tsrm.attach(|here| Box::new(here) as Box<dyn Any>);
    drop(any);
}
