//! Generic hooks.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    #[thread_startup]
    fn born<T>(_here: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: impl Copy) {}

    #[request_shutdown]
    fn end<const N: usize>(_here: Attached<'_>) {}
}

fn main() {}
