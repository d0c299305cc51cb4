//! ATTACK: a task that keeps a reference over an `await`.
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
        let count = COUNT.get(here);
        spawn(async move {
            ready(()).await;
            count.set(1);
        });
    });
}
