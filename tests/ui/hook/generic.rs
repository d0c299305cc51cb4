//! A generic hook.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    #[thread_startup]
    fn born<T>(_here: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
