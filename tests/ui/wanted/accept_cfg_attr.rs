//! `cfg_attr` on globals and hooks. Now: a hook that is not there is looked for.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    use tsrm::Attached;

    #[global]
    #[cfg_attr(all(), doc = "There.")]
    pub static HERE: Cell<u64> = const { Cell::new(1) };

    #[global]
    #[cfg_attr(all(), cfg(any()))]
    pub static NOT_HERE: Cell<u64> = const { Cell::new(1) };

    #[thread_shutdown]
    #[cfg_attr(all(), cfg(any()))]
    fn dies(_here: Attached<'_>) {}
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| assert_eq!(executor::HERE.get(here).get(), 1));
}
