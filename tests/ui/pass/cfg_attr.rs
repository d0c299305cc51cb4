//! `cfg_attr` on globals and hooks.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    use tsrm::Attached;

    #[global]
    #[cfg_attr(all(), doc = "There.", allow(non_upper_case_globals))]
    pub static here: Cell<u64> = const { Cell::new(1) };

    #[global]
    #[cfg_attr(all(), doc = "Not there.", cfg(any()))]
    pub static NOT_HERE: Cell<u64> = const { Cell::new(1) };

    #[global]
    #[cfg_attr(all(), cfg_attr(true, cfg(any()), allow(dead_code)))]
    pub static NOT_HERE: Cell<u64> = Cell::new(1);

    #[thread_shutdown]
    #[cfg_attr(all(), cfg(any()))]
    fn dies(_here: Attached<'_>) {}

    #[thread_shutdown]
    #[cfg_attr(any(), cfg(any()))]
    fn dies_otherwise(_here: Attached<'_>) {}
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| assert_eq!(executor::here.get(here).get(), 1));
}
