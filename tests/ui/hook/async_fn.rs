//! An asynchronous hook.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Attached, Error};

    #[request_startup]
    async fn begin(_here: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
