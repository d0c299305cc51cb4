//! A startup hook with another error than `tsrm::Error`.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[thread_startup]
    fn born(_here: Attached<'_>) -> Result<(), String> {
        Ok(())
    }
}

fn main() {}
