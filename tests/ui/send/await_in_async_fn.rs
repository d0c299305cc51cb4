//! ATTACK: the same in an `async fn` that is given the token.
#![forbid(unsafe_code)]

use std::future::{Future, ready};

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

async fn task(here: Attached<'_>) {
    ready(()).await;
    COUNT.get(here).set(1);
}

/// The bounds of `tokio::spawn` but for `'static`.
fn spawn<T: Send>(_task: impl Future<Output = T> + Send) {}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| spawn(task(here)));
}
