//! Whatever is called as what the expansions name: they do not meet it. In a crate without a prelude,
//! with the library under another name.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings)]

mod vendored {
    pub(crate) use ::tsrm as library;
}

#[vendored::library::module(crate = crate::vendored::library)]
mod executor {
    #![allow(non_camel_case_types, dead_code)]

    pub struct Statistics<T>(T);
    pub struct Statistic;
    pub struct Switched;
    pub struct Item;
    pub struct Counting;
    pub struct Cells;
    pub struct DefinitionSlot;
    pub struct StatisticsRef;
    pub struct AtomicU64;
    pub struct AtomicBool;
    pub struct Option;
    pub struct u64;
    pub struct usize;
    pub struct str;
    pub struct bool;
    pub trait Sized {}
    pub trait Copy {}
    pub trait From {}
    pub mod core {}
    pub mod std {}
    pub mod tsrm {}
    pub mod stats {}
    pub mod private {}

    pub const ITEMS: i32 = 1;
    pub const COUNTING: i32 = 2;
    pub fn lay_out() {}
    pub fn cell_count() {}
    pub fn index() {}
    pub fn definition_slot() {}
    pub fn counter() {}

    macro_rules! declare_statistics {
        () => {};
    }
    macro_rules! thread_local {
        () => {};
    }
    declare_statistics!();
    thread_local!();

    /// By another name as well.
    pub use super::vendored::library::Statistics as Derive;

    #[derive(Derive)]
    #[stat(crate = crate::vendored::library, switch)]
    pub enum Executor {
        /// Operations.
        #[stat(counter)]
        Operations,
        #[stat(histogram, unit = "u64", max = 100, name = "self")]
        Self_,
        #[stat(gauge)]
        ITEMS,
        #[stat(peak)]
        Cells,
        #[stat(peak, name = "none")]
        None,
    }

    impl Executor {
        /// Others than the trait's.
        pub const ITEMS_: i32 = 3;
        pub const COUNTING: i32 = 4;
        pub fn index(&self) -> i32 {
            5
        }
        pub fn definition_slot() {}
        pub fn new() {}
    }

    #[statistics]
    pub static EXECUTOR: Statistics<Executor>;

    #[statistics]
    pub static OTHER: super::vendored::library::Statistics<self::Executor>;
}

mod in_function {
    pub(crate) fn count(here: ::tsrm::Attached<'_>) {
        #[derive(::tsrm::Statistics)]
        enum Local {
            #[stat(counter)]
            Calls,
        }
        let own = ::tsrm::stats::OwnedStatistics::<Local>::new();
        ::std::assert_eq!(own.snapshot().count(Local::Calls), 0);
        let _ = here;
    }
}

use vendored::library as t;

#[t::main(executor, crate = t)]
fn main(tsrm: t::Runtime) {
    use executor::{EXECUTOR, Executor, OTHER};
    tsrm.attach(|here| {
        EXECUTOR.inc(here, Executor::Operations);
        EXECUTOR.record(here, Executor::Self_, 12);
        EXECUTOR.raise(here, Executor::Cells, 3);
        EXECUTOR.raise(here, Executor::None, 4);
        ::std::mem::drop(OTHER.open(here, Executor::ITEMS));
        in_function::count(here);
    });
    EXECUTOR.set_enabled(false);
    let now = EXECUTOR.snapshot();
    ::std::assert_eq!(now.count(Executor::Operations), 1);
    ::std::assert_eq!(now.count(Executor::None), 4);
    ::std::assert_eq!(OTHER.snapshot().count(Executor::ITEMS), 0);
    ::std::assert_eq!(Executor::Operations.index() + Executor::COUNTING + Executor::ITEMS_, 12);
    Executor::new();
    Executor::definition_slot();
}
