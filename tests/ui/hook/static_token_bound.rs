//! ATTACK: the same by a bound.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    #[thread_startup]
    fn born<'t>(_here: Attached<'t>) -> Result<(), Error>
    where
        't: 'static,
    {
        Ok(())
    }

    #[request_startup]
    fn begin<'t: 'static>(_here: Attached<'t>) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
