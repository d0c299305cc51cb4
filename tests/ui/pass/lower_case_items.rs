//! Statics and constants in lower case, which a macro's own variables of those names would clash
//! with, and a hook called `hooks`.
#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(non_upper_case_globals, dead_code)]

#[tsrm::module]
mod constants {
    pub const value: u32 = 1;
    pub static slot: u32 = 2;
    pub static hooks: u32 = 3;
    pub const main: u32 = 4;

    #[global]
    pub static STATIC: u32 = const { value };

    #[global]
    pub static CACHED: u32 = slot;
}

#[tsrm::module]
mod functions {
    #[thread_shutdown]
    fn hooks(_here: tsrm::Attached<'_>) {}
}

#[tsrm::main(constants, functions)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*constants::STATIC.get(here) + *constants::CACHED.get(here), 3);
    });
}
