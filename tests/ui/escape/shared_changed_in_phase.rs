//! ATTACK: a shared value that hooks are lent, changed.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Error, Shutdown, Startup};

    #[shared]
    pub static NAMES: Vec<String> = Vec::new();

    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        phase.shared(&NAMES).push(String::from("a"));
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        phase.shared(&NAMES).clear();
    }
}

fn main() {}
