//! ATTACK: a count of references that several threads would change.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::rc::Rc;

    use tsrm::sync::SrwMutex;

    #[shared(lazy)]
    pub static NAME: SrwMutex<Rc<str>> = SrwMutex::new("name".into());
}

fn main() {}
