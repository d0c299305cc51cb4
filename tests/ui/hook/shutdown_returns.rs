//! Shutdown hooks cannot refuse.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error, Shutdown};

    #[module_shutdown]
    fn shutdown(_phase: &mut Shutdown<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: Attached<'_>) -> bool {
        true
    }

    #[request_shutdown]
    fn end(_here: Attached<'_>) -> u8 {
        0
    }
}

fn main() {}
