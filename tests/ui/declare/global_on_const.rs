//! A global that is a constant.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub const COUNT: u64 = 0;
}

fn main() {}
