//! A crate without a prelude.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings)]

#[::tsrm::module]
mod executor {
    #[global]
    pub static STATIC: u32 = const { 1 };

    #[global]
    pub static CACHED: u32 = 2;

    #[shared]
    pub static SHARED: u32 = 3;

    #[shared(lazy)]
    pub static LAZY: u32 = 4;

    #[thread_startup]
    fn born(_here: ::tsrm::Attached<'_>) -> ::std::result::Result<(), ::tsrm::Error> {
        ::std::result::Result::Ok(())
    }
}

#[::tsrm::main(executor)]
fn main(tsrm: ::tsrm::Runtime) {
    tsrm.attach(|here| {
        ::std::assert_eq!(*executor::STATIC.get(here) + *executor::CACHED.get(here), 3);
        ::std::assert_eq!(*executor::SHARED.get(here) + *executor::LAZY.get(here), 7);
    });
}
