//! A hook attribute with an argument.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_shutdown(late)]
    fn dies(_here: Attached<'_>) {}
}

fn main() {}
