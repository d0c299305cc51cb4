//! Two hooks of a kind, of which one is there.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    use tsrm::{Attached, Error};

    #[global]
    pub static BORN_AS: Cell<u8> = const { Cell::new(0) };

    #[cfg(all())]
    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), Error> {
        BORN_AS.set(here, 1);
        Ok(())
    }

    #[cfg(any())]
    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), Error> {
        BORN_AS.set(here, 2);
        Ok(())
    }
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| assert_eq!(executor::BORN_AS.get(here).get(), 1));
}
