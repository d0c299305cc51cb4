//! Hooks with arguments of wrong types.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error, Shutdown, Startup};

    #[module_startup]
    fn startup(_here: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: Shutdown<'_>) {}

    #[thread_startup]
    fn born(_here: &Attached<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[request_startup]
    fn begin(_phase: &mut Startup<'_>) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
