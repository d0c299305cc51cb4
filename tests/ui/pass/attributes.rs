//! Attributes stay with the items: documentation, `cfg` true and false, lints, `deprecated`.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

/// The module.
#[tsrm::module]
#[allow(dead_code)]
pub mod executor {
    use std::cell::Cell;

    use tsrm::{Attached, Error};

    /// There.
    #[global]
    #[cfg(all())]
    pub static HERE: Cell<u64> = const { Cell::new(1) };

    /// Not there; its type does not exist either.
    #[cfg(any())]
    #[global]
    pub static NOT_HERE: Missing = const { Missing };

    #[cfg(any())]
    #[global]
    pub static NOT_HERE: Missing = Missing;

    /// One of two.
    #[cfg(not(any()))]
    #[global]
    pub static EITHER: Cell<u64> = Cell::new(2);

    /// One of two.
    #[cfg(any())]
    #[global]
    pub static EITHER: Cell<u32> = Cell::new(2);

    #[global]
    #[doc(hidden)]
    #[allow(non_upper_case_globals)]
    pub static lower: Cell<u64> = const { Cell::new(3) };

    /// Out of use.
    #[global]
    #[deprecated = "use `HERE`"]
    pub static OLD: Cell<u64> = const { Cell::new(4) };

    /// Not used.
    #[global]
    static UNUSED: Cell<u64> = const { Cell::new(5) };

    #[cfg(any())]
    #[thread_startup]
    fn born(here: Missing) -> Result<(), Error> {
        HERE.get(here);
        Ok(())
    }

    #[cfg(all())]
    #[thread_startup]
    fn born_here(here: Attached<'_>) -> Result<(), Error> {
        HERE.get(here).set(10);
        Ok(())
    }

    #[inline]
    #[must_use]
    #[request_startup]
    fn begin(_here: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// The program.
#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(executor::HERE.get(here).get() + executor::EITHER.get(here).get(), 12);
        assert_eq!(executor::lower.get(here).get(), 3);
        #[allow(deprecated)]
        let old = executor::OLD.get(here).get();
        assert_eq!(old, 4);
    });
}
