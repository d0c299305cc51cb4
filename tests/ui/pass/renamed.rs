//! The library under another name.
#![forbid(unsafe_code)]
#![deny(warnings)]

mod vendored {
    pub(crate) use tsrm as globals;
}

#[vendored::globals::module(name = "executor", requires = ["short"], crate = crate::vendored::globals)]
mod executor {
    use super::vendored::globals::{Attached, Error, Shutdown, Startup};

    #[global]
    pub(super) static STATIC: u32 = const { 1 };

    #[global]
    pub(super) static CACHED: u32 = 2;

    #[shared]
    pub(super) static SHARED: u32 = 4;

    #[shared(lazy)]
    pub(super) static LAZY: u32 = 5;

    #[module_startup]
    fn startup(_phase: &mut Startup<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut Shutdown<'_>) {}

    #[thread_startup]
    fn born(_here: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }
}

use tsrm as t;

#[t::module(crate = super::t)]
mod short {
    #[global]
    pub(super) static STATIC: u32 = const { 3 };
}

#[t::main(executor, short, crate = t)]
fn main(tsrm: t::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(executor::STATIC.get(here) + executor::CACHED.get(here), 3);
        assert_eq!(executor::SHARED.get(here) + executor::LAZY.get(here), 9);
        assert_eq!(*short::STATIC.get(here), 3);
    });
}
