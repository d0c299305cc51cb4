//! Hooks that are generic without type parameters.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_shutdown]
    fn dies(_here: impl Copy) {}

    #[request_shutdown]
    fn end<const N: usize>(_here: Attached<'_>) {}
}

fn main() {}
