//! ATTACK: a boxed future that outlives the closure.
#![forbid(unsafe_code)]

use std::future::Future;
use std::pin::Pin;

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let mut out: Option<Pin<Box<dyn Future<Output = ()>>>> = None;
    tsrm.attach(|here| out = Some(Box::pin(async move { COUNT.get(here).set(1) })));
    drop(out);
}
