//! ATTACK: a task that keeps the token over an `await`, and so may go on in another thread.
#![forbid(unsafe_code)]

use std::future::{Future, ready};

use globals::COUNT;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

/// The bounds of `tokio::spawn` but for `'static`.
fn spawn<T: Send>(_task: impl Future<Output = T> + Send) {}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        spawn(async move {
            ready(()).await;
            COUNT.get(here).set(1);
        });
    });
}
