//! ATTACK: a guard that a future takes along to another thread.
#![forbid(unsafe_code)]

use std::future;

use tsrm::Attached;
use tsrm::sync::SrwMutex;

static FREE: SrwMutex<u32> = SrwMutex::new(0);

fn send(_: impl Send) {}

async fn hold(here: Attached<'_>) {
    let free = FREE.lock(here);
    future::ready(()).await;
    drop(free);
}

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| send(hold(here)));
}
