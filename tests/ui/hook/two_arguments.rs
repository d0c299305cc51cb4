//! A hook with one argument too many.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    #[thread_startup]
    fn born(_here: Attached<'_>, _name: &str) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
