//! A shared value that is called as what the macro adds.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared]
    pub static MODULE: u64 = 0;
}

#[tsrm::main(executor)]
fn main(_tsrm: tsrm::Runtime) {}
