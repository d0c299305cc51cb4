//! ATTACK: a shared value changed at its module's end, while references to it may be left: there is
//! no way to a mutable one.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Shutdown;

    #[shared]
    pub static NAMES: Vec<String> = Vec::new();

    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        phase.shared_mut(&NAMES).clear();
    }
}

fn main() {}
