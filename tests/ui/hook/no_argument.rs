//! Hooks without an argument.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Error;

    #[module_startup]
    fn startup() -> Result<(), Error> {
        Ok(())
    }

    #[thread_shutdown]
    fn dies() {}
}

fn main() {}
