//! A hook with another calling convention.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_shutdown]
    extern "C" fn dies(_here: Attached<'_>) {}
}

fn main() {}
