//! Two hooks of a kind, of which both are there.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[cfg(all())]
    #[thread_shutdown]
    fn dies(_here: Attached<'_>) {}

    #[cfg(not(any()))]
    #[thread_shutdown]
    fn dies_too(_here: Attached<'_>) {}
}

fn main() {}
