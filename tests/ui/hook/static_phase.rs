//! ATTACK: the same for what a module's hooks are given.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Error, Shutdown, Startup};

    type Phase = Startup<'static>;

    #[module_startup]
    fn startup(_phase: &'static mut Startup<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut Shutdown<'static>) {}

    mod other {
        #[tsrm::module]
        mod inner {
            #[module_startup]
            fn startup(_phase: &mut super::super::Phase) -> Result<(), tsrm::Error> {
                Ok(())
            }
        }
    }
}

fn main() {}
