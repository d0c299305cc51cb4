//! ATTACK: values that stay on their thread, passed on with their locks.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use tsrm::sync::{RecursiveSuxLock, SharedGuard, SrwMutex, SuxLock};

#[tsrm::module]
mod executor {}

fn send(_: impl Send) {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        send(SrwMutex::new(Rc::new(1)).lock(here).into_token());
        send(SuxLock::new(Cell::new(1)).exclusive(here).into_token());
        send(RecursiveSuxLock::new(Cell::new(true)).update(here).try_into_token().unwrap());
        send(SharedGuard::acquire(Arc::new(SuxLock::new(Cell::new('a'))), here).into_token());
    });
}
