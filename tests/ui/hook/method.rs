//! A hook that is a method.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[thread_shutdown]
    fn dies(self) {}
}

fn main() {}
