//! ATTACK: what a module's hooks are given, for ever.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Error, Shutdown, Startup};

    #[module_startup]
    fn startup(_phase: &'static mut Startup<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut Shutdown<'static>) {}
}

fn main() {}
