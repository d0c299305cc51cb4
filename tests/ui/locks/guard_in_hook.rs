//! ATTACK: a guard that one hook of a thread leaves to another one.
#![forbid(unsafe_code)]

use std::cell::RefCell;

use tsrm::sync::{ExclusiveGuard, SrwMutex};

static FREE: SrwMutex<u32> = SrwMutex::new(0);

type Kept = RefCell<Option<ExclusiveGuard<'static, &'static SrwMutex<u32>>>>;

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[global]
    pub static KEPT: super::Kept = super::RefCell::new(None);

    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), tsrm::Error> {
        KEPT.get(here).replace(Some(super::FREE.lock(here)));
        Ok(())
    }

    #[request_startup]
    fn begin(here: Attached<'static>) -> Result<(), tsrm::Error> {
        KEPT.get(here).replace(Some(super::FREE.lock(here)));
        Ok(())
    }
}

fn main() {}
