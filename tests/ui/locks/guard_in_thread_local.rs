//! ATTACK: a guard kept in a thread-local variable, and in a global.
#![forbid(unsafe_code)]

use std::cell::RefCell;

use executor::KEPT;
use tsrm::sync::{ExclusiveGuard, SrwMutex};

static FREE: SrwMutex<u32> = SrwMutex::new(0);

type Kept = RefCell<Option<ExclusiveGuard<'static, &'static SrwMutex<u32>>>>;

thread_local! {
    static LOCAL: Kept = const { RefCell::new(None) };
}

#[tsrm::module]
mod executor {
    #[global]
    pub static KEPT: super::Kept = super::RefCell::new(None);
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| LOCAL.set(Some(FREE.lock(here))));
    tsrm.attach(|here| *KEPT.get(here).borrow_mut() = FREE.try_lock(here));
}
