//! What stands in `const { … }` is not constant.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static NAMES: Vec<String> = const { Vec::from([String::from("x")]) };
}

fn main() {}
