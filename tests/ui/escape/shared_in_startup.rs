//! ATTACK: what a startup hook may fill, kept for ever.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::Mutex;
    use tsrm::{Error, Startup};

    #[shared]
    pub static NAMES: Vec<String> = Vec::new();

    static KEPT: Mutex<Option<&'static mut Vec<String>>> = Mutex::new(None);

    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        *KEPT.lock().unwrap() = Some(phase.shared_mut(&NAMES));
        Ok(())
    }
}

fn main() {}
