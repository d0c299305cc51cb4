//! ATTACK: the same behind an alias, which the macro cannot see through.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    type Here = Attached<'static>;

    #[thread_startup]
    fn born(_here: Here) -> Result<(), Error> {
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: Here) {}
}

fn main() {}
