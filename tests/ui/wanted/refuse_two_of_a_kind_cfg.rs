//! Two hooks of a kind, of which both are there. Now: compiles, and only the last one runs.
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
