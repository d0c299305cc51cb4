//! ATTACK: a hook that takes `Attached<'static>` could stash a reference for ever.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    use std::cell::Cell;

    #[global]
    static COUNT: Cell<u64> = const { Cell::new(0) };

    #[global]
    static STASH: Cell<Option<&'static Cell<u64>>> = const { Cell::new(None) };

    #[thread_startup]
    fn born(here: Attached<'static>) -> Result<(), Error> {
        STASH.set(here, Some(COUNT.get(here)));
        Ok(())
    }
}

fn main() {}
