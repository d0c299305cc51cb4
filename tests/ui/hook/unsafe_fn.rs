//! An unsafe hook: who would keep its contract?
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_shutdown]
    unsafe fn dies(_here: Attached<'_>) {}
}

fn main() {}
