//! One function as two hooks.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_shutdown]
    #[request_shutdown]
    fn ends(_here: Attached<'_>) {}
}

fn main() {}
