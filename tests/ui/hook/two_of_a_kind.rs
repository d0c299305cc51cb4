//! Two hooks of a kind.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_shutdown]
    fn dies(_here: Attached<'_>) {}

    #[thread_shutdown]
    fn dies_too(_here: Attached<'_>) {}
}

fn main() {}
