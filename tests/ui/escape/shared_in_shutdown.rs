//! ATTACK: what a shutdown hook looks at, kept until it is dropped.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::Mutex;
    use tsrm::Shutdown;

    #[shared]
    pub static NAMES: Vec<String> = Vec::new();

    static KEPT: Mutex<Option<&'static Vec<String>>> = Mutex::new(None);

    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        *KEPT.lock().unwrap() = Some(phase.shared(&NAMES));
    }
}

fn main() {}
