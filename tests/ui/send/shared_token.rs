//! ATTACK: a token that all threads share.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::Mutex;
    use tsrm::Attached;

    #[shared]
    pub static HERE: Mutex<Option<Attached<'static>>> = Mutex::new(None);
}

fn main() {}
