//! Startup hooks that do not say whether they succeeded.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Startup};

    #[module_startup]
    fn startup(_phase: &mut Startup<'_>) {}

    #[thread_startup]
    fn born(_here: Attached<'_>) {}

    #[request_startup]
    fn begin(_here: Attached<'_>) {}
}

fn main() {}
