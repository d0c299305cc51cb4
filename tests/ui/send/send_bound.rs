//! ATTACK: the token in the closure of a thread pool, as rayon bounds it.
#![forbid(unsafe_code)]

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

/// The bounds of `rayon::join`.
fn join<A, B>(left: impl FnOnce() -> A + Send, right: impl FnOnce() -> B + Send) -> (A, B)
where
    A: Send,
    B: Send,
{
    (left(), right())
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        join(|| COUNT.get(here).set(1), || ());
    });
}
