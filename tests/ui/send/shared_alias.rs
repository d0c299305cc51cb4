//! ATTACK: a type that is not `Send`, behind an alias and inside others.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::rc::Rc;
    use std::sync::Mutex;

    type Names = Vec<Rc<str>>;

    #[shared(lazy)]
    pub static NAMES: Mutex<Option<Names>> = Mutex::new(None);
}

fn main() {}
