//! A type that borrows from nowhere: a shared value's type is `'static`.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub static NAME: &'a str = "";
}

fn main() {}
