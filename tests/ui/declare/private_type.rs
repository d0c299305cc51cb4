//! A public global of a private type.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static STACK: Stack = const { Stack };

    struct Stack;
}

fn main() {}
