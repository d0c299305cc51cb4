//! ATTACK: a reference count that all threads share.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::rc::Rc;

    #[shared]
    pub static NAME: Rc<str> = Rc::from("name");

    #[shared(lazy)]
    pub static LATER: Rc<str> = Rc::from("later");
}

fn main() {}
