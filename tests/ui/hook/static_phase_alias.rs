//! ATTACK: what a module's hooks are given, for ever, behind an alias.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Error, Shutdown, Startup};

    type Up = Startup<'static>;
    type Down = Shutdown<'static>;

    #[module_startup]
    fn startup(_phase: &mut Up) -> Result<(), Error> {
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut Down) {}
}

fn main() {}
